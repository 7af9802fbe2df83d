import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../contract/index.js'
import type { ProjectSettings } from './project-file.js'

/** Where the project files are recorded that a person trusts. */
export const trustedPath = (configDir: string): string => join(configDir, 'trusted-projects')

/**
 * The project file, once a person has trusted it: it came with a directory that somebody else may have written.
 *
 * @param effect what the file would do, such as `chooses profile "live"`
 * @throws UsageError with the command that trusts it
 */
export function requireTrust(configDir: string, project: ProjectSettings, effect: string): void {
  if (isTrusted(configDir, project)) return
  const wasTrusted = records(configDir).some((line) => line.endsWith(` ${JSON.stringify(project.file)}`))
  throw new UsageError(
    `${project.file} ${effect}, but ${wasTrusted ? 'it has changed since you trusted it' : 'it is not trusted yet'}.`,
    { hint: 'Read it, then trust it with dlv profiles trust; -P chooses a profile without it.' },
  )
}

/** Whether a person has trusted the file with this content. */
export function isTrusted(configDir: string, project: ProjectSettings): boolean {
  const lines = records(configDir)
  return lines.length > 0 && lines.includes(recordOf(project))
}

function records(configDir: string): string[] {
  try {
    return readFileSync(trustedPath(configDir), 'utf8').split('\n')
  } catch {
    return []
  }
}

/** A trusted file as it is recorded: a hash of its place and content, and its place. */
export function recordOf({ file, text }: ProjectSettings): string {
  const { hash } = process.getBuiltinModule('node:crypto')
  return `${hash('sha256', `${file}\n${text}`, 'hex')} ${JSON.stringify(file)}`
}
