import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../contract/index.js'
import { findProjectFile, type ProjectFile, type ProjectSettings, parseProjectFile } from './project-file.js'

/** The file that records the trusted project files. */
export const trustedPath = (configDir: string): string => join(configDir, 'trusted-projects')

/**
 * Reads the project's settings for a directory. In a file that is not trusted, the output format is ignored, and so is a
 * malformed file, each with a warning through `refused`.
 *
 * @throws UsageError if a file that was trusted is malformed now: without it, another account would be used
 */
export function readProject(
  { cwd, configDir }: { cwd: string; configDir: string },
  refused?: (warning: string) => void,
): ProjectSettings | undefined {
  const found = findProjectFile(cwd, refused)
  if (found === undefined) return undefined
  try {
    const project = parseProjectFile(found)
    if (project.output === undefined || isTrusted(configDir, found)) return project
    refused?.(`${found.file} sets the output format, but it is not trusted yet: dlv profiles trust`)
    return { ...project, output: undefined }
  } catch (error) {
    if (!(error instanceof UsageError) || wasTrusted(configDir, found)) throw error
    refused?.(`${error.message} It is ignored.`)
    return undefined
  }
}

/**
 * Requires that the user has trusted the project file, because the directory may come from somebody else.
 *
 * @param effect what the file would do, such as `chooses profile "live"`
 * @throws UsageError with the command that trusts it
 */
export function requireTrust(configDir: string, project: ProjectSettings, effect: string): void {
  if (isTrusted(configDir, project)) return
  const isChanged = wasTrusted(configDir, project)
  throw new UsageError(
    `${project.file} ${effect}, but ${isChanged ? 'it has changed since you trusted it' : 'it is not trusted yet'}.`,
    { hint: 'Read it, then trust it with dlv profiles trust; -P chooses a profile without it.' },
  )
}

/** Whether a person has trusted the file with this content or another. */
function wasTrusted(configDir: string, { file }: ProjectFile): boolean {
  return records(configDir).some((line) => line.endsWith(` ${JSON.stringify(file)}`))
}

/** Whether a person has trusted the file with this content. */
export function isTrusted(configDir: string, project: ProjectFile): boolean {
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
export function recordOf({ file, text }: ProjectFile): string {
  const { hash } = process.getBuiltinModule('node:crypto')
  return `${hash('sha256', `${file}\n${text}`, 'hex')} ${JSON.stringify(file)}`
}
