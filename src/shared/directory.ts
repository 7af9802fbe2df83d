import {
  chmodSync,
  closeSync,
  existsSync,
  fchmodSync,
  fstatSync,
  mkdirSync,
  openSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'

/**
 * Creates a directory and its parents, for its owner only unless `mode` says otherwise. Node's own recursive form never
 * returns if a file system denies that a directory exists below an existing one, as `/proc` does.
 *
 * @throws the file system's error
 */
export function makeFolder(path: string, mode = 0o700): void {
  if (existsSync(path)) return
  const above = dirname(path)
  if (above !== path) makeFolder(above, mode)
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    // Another process may have created it first.
    if (!existsSync(path)) throw error
    return
  }
  // An umask can also remove the owner's rights. File systems without modes grant all of them and reject a change.
  if ((statSync(path).mode & mode) !== mode) chmodSync(path, mode)
}

/**
 * Creates an empty file for its owner only, whatever the umask. Leaves an existing file unchanged.
 *
 * @throws the file system's error
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
    if ((fstatSync(descriptor).mode & 0o600) !== 0o600) fchmodSync(descriptor, 0o600)
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Replaces a file's content, which keeps its mode: whoever reads it sees the old text or the new one, and another name
 * of the old file keeps it.
 *
 * @throws the file system's error
 */
export function replaceFile(path: string, text: string): void {
  const unfinished = `${path}.${process.pid}.tmp`
  const mode = statSync(path, { throwIfNoEntry: false })?.mode
  writeFileSync(unfinished, text, { flag: 'wx', ...(mode === undefined ? {} : { mode: mode & 0o777 }) })
  renameSync(unfinished, path)
}

/**
 * Replaces a file's content for its owner only: whoever reads it sees the old text or the new one.
 *
 * @throws the file system's error
 */
export function replacePrivateFile(path: string, text: string): void {
  const unfinished = `${path}.${process.pid}.tmp`
  writeFileSync(unfinished, text, { mode: 0o600 })
  chmodSync(unfinished, 0o600)
  renameSync(unfinished, path)
}
