import {
  chmodSync,
  closeSync,
  constants,
  createReadStream,
  existsSync,
  fchmodSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
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

/** Why a file is not read, as the end of a sentence. */
export class UnusableFileError extends Error {}

/** Whoever opens a named pipe waits for its writer, and no signal ends that: a process that exits waits as well. */
const readWithoutWaiting = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

const usualMaxBytes = 1_048_576
/** What may be written to a file while it is read; a pseudo file such as those of /proc has no size at all. */
const grownBytes = 65_536

/**
 * Reads a small text file at once.
 *
 * @throws UnusableFileError if it is larger than the limit or not a regular file; the system's error if it cannot be read
 */
export function readBoundedFile(file: string, maxBytes = usualMaxBytes): string {
  const descriptor = openSync(file, readWithoutWaiting)
  try {
    const stats = fstatSync(descriptor)
    if (!stats.isFile()) throw new UnusableFileError('it is not a regular file')
    if (stats.size > maxBytes) throw tooLarge(maxBytes)
    const bytes = Buffer.alloc(Math.min(stats.size + grownBytes, maxBytes) + 1)
    let length = 0
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = readSync(descriptor, bytes, length, bytes.length - length, null)
    if (length === bytes.length) throw tooLarge(maxBytes)
    return bytes.toString('utf8', 0, length)
  } finally {
    closeSync(descriptor)
  }
}

const tooLarge = (maxBytes: number) => new UnusableFileError(`it is larger than ${maxBytes / 1_024} kB`)

/**
 * The bytes of a file, or of a pipe that a shell puts in the place of one. While nothing comes out of a pipe or a
 * terminal, the process can still end.
 *
 * @throws the system's error if it cannot be opened
 */
export function readableFile(path: string): AsyncIterable<Buffer> {
  const descriptor = openSync(path, readWithoutWaiting)
  const stats = fstatSync(descriptor)
  if (stats.isFIFO()) {
    const { Socket } = process.getBuiltinModule('node:net')
    return new Socket({ fd: descriptor, readable: true, writable: false })
  }
  const { isatty, ReadStream } = process.getBuiltinModule('node:tty')
  if (isatty(descriptor)) return new ReadStream(descriptor)
  return createReadStream('', { fd: descriptor })
}

/**
 * Reads all of a small text file or pipe.
 *
 * @throws UnusableFileError if it is larger than the limit; the system's error if it cannot be read
 */
export async function readSmallFile(file: string, maxBytes = usualMaxBytes): Promise<string> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of readableFile(file)) {
    pieces.push(piece)
    length += piece.length
    if (length > maxBytes) throw tooLarge(maxBytes)
  }
  return Buffer.concat(pieces).toString()
}
