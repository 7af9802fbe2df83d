import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'

/** Why a file is not read, as the end of a sentence. */
export class UnusableFileError extends Error {}

/**
 * Reads a small text file that a parameter names, such as a certificate, at once.
 *
 * @throws UnusableFileError if it is larger than the limit or, unless pipes are taken, not a regular file; the system's
 *   error if it cannot be read
 */
export function readBoundedFile(file: string, { maxBytes = 1_048_576, takesPipes = false } = {}): string {
  const descriptor = openSync(file, takesPipes ? 'r' : readWithoutWaiting)
  try {
    if (!takesPipes && !fstatSync(descriptor).isFile()) throw new UnusableFileError('it is not a regular file')
    const bytes = Buffer.alloc(maxBytes + 1)
    let length = 0
    for (let read = -1; read !== 0 && length <= maxBytes; length += read)
      read = readSync(descriptor, bytes, length, bytes.length - length, null)
    if (length > maxBytes) throw new UnusableFileError(`it is larger than ${maxBytes / 1_024} kB`)
    return bytes.toString('utf8', 0, length)
  } finally {
    closeSync(descriptor)
  }
}

/** A named pipe that nobody writes would hold up a plain open, and no signal ends that. */
const readWithoutWaiting = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)
