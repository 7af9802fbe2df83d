import { once } from 'node:events'
import { exitCodes } from './exit-codes.js'

/** The streams of the program, as far as this project writes to them. */
export type OutputStream = NodeJS.WriteStream

/**
 * Ends the program where nobody reads on, quietly and with the code a shell gives for SIGPIPE, and in plain words where
 * a result cannot be written (a full disk). Must run before anything else listens to these streams.
 */
export function watchStreams(stdout: OutputStream, stderr: OutputStream): void {
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(exitCodes.readerGone)
    stderr.write(`error: The results could not be written: ${error.message}.\n`)
    process.exit(exitCodes.defect)
  })
  stderr.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? exitCodes.readerGone : exitCodes.defect)
  })
}

/** Resolves once everything written so far has left the process, however slowly it is read. */
export function drained(stream: OutputStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.writableEnded) resolve()
    else stream.write('', () => resolve())
  })
}

/** Writes and, where the reader is slower than we are, waits for it: memory stays flat however much is printed. */
export async function writeOut(stream: OutputStream, text: string): Promise<void> {
  if (!stream.write(text)) await once(stream, 'drain')
}
