import { appendFileSync } from 'node:fs'
import { UsageError } from '../contract/index.js'
import { makeFolder, makePrivateFile } from '../shared/directory.js'
import { isOwnFile } from './profile-file.js'
import type { ProjectSettings } from './project-file.js'
import { isTrusted, recordOf, trustedPath } from './trust.js'

/** Records that a person trusts a project file at its place and with its content. Throws `UsageError`. */
export function trustProject(configDir: string, project: ProjectSettings): void {
  if (isTrusted(configDir, project)) return
  const file = trustedPath(configDir)
  try {
    makeFolder(configDir)
    makePrivateFile(file)
    // The leading line feed ends a line that was cut short.
    if (isOwnFile(file)) appendFileSync(file, `\n${recordOf(project)}\n`)
  } catch (cause) {
    if (cause instanceof UsageError) throw cause
    throw new UsageError(`Cannot write ${file}: ${(cause as Error).message}.`, { cause })
  }
}
