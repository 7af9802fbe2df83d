import { closeSync, constants, createReadStream, fstatSync, openSync, readSync } from 'node:fs'

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
