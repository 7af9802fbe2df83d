import { appendFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { UsageError } from '../contract/index.js'
import { makeFolder, makePrivateFile } from '../shared/directory.js'
import { isOwnFile } from './profile-file.js'
import type { ProjectSettings } from './project-file.js'
import { isTrusted, recordOf, trustedPath } from './trust.js'

/**
 * Adds a line to a file of records that only the user reads, and creates it if there is none.
 *
 * @throws UsageError for a symbolic link; the system's error if it cannot be written
 */
export function appendRecord(file: string, line: string): void {
  makeFolder(dirname(file))
  makePrivateFile(file)
  // The leading line feed ends a line that was cut short.
  if (isOwnFile(file)) appendFileSync(file, `\n${line}\n`)
}

/** Records that a person trusts a project file at its place and with its content. Throws `UsageError`. */
export function trustProject(configDir: string, project: ProjectSettings): void {
  if (isTrusted(configDir, project)) return
  const file = trustedPath(configDir)
  try {
    appendRecord(file, recordOf(project))
  } catch (cause) {
    if (cause instanceof UsageError) throw cause
    throw new UsageError(`Cannot write ${file}: ${(cause as Error).message}.`, { cause })
  }
}
