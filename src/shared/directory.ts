import { chmodSync, closeSync, existsSync, fchmodSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a folder with those above it, for its owner alone unless `mode` says otherwise. Node's own recursive form never
 * returns where a file system denies that a folder exists beneath one that does, as `/proc` does.
 *
 * @throws the file system's error where it refuses
 */
export function makeFolder(path: string, mode = 0o700): void {
  if (existsSync(path)) return
  const above = dirname(path)
  if (above !== path) makeFolder(above, mode)
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    // Another process may have been faster.
    if (!existsSync(path)) throw error
    return
  }
  // An umask can take rights away from the owner as well. File systems without modes have them all and refuse a change.
  if ((statSync(path).mode & mode) !== mode) chmodSync(path, mode)
}

/**
 * Creates an empty file for its owner only, whatever the umask; a file that exists is left as it is.
 *
 * @throws the file system's error if it refuses
 */
export function makePrivateFile(path: string): void {
  let descriptor: number
  try {
    descriptor = openSync(path, 'wx', 0o600)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return
    throw error
  }
  try {
    if ((statSync(path).mode & 0o600) !== 0o600) fchmodSync(descriptor, 0o600)
  } finally {
    closeSync(descriptor)
  }
}
