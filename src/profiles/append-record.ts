import { appendFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolder, makePrivateFile } from '../shared/directory.js'
import { isOwnFile } from './profile-file.js'

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
