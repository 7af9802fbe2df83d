import { once } from 'node:events'
import type { OutputStream, ProcessContext } from './context.js'
import { exitCodes } from './exit-codes.js'

/**
 * Ends the run if nobody reads on, quietly and with the code a shell gives for SIGPIPE; `unwritten` is told of a result
 * that cannot be written, such as on a full disk. Must run before anything else listens to these streams.
 */
export function watchStreams(context: ProcessContext, unwritten: (error: Error) => void): void {
  context.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return context.exit(exitCodes.readerGone)
    // oclif listens to the process's own stream too, and throws the same error after us: it is told once, in our words.
    if (context.stdout === process.stdout)
      process.once('uncaughtException', (thrown) => {
        if (thrown !== error) throw thrown
      })
    unwritten(error)
  })
  // Nowhere is left to say that nothing can be said: the results and the exit code stand without the notices.
  context.stderr.on('error', () => {})
}

/** Resolves once everything written so far has left the process, however slowly it is read. */
export function drained(stream: OutputStream): Promise<void> {
  return new Promise((resolve) => {
    // A failed stream tells its listeners a moment later; whoever waits here waits for that as well.
    if (stream.errored !== null) setImmediate(resolve)
    else if (stream.destroyed || stream.writableEnded) resolve()
    else stream.write('', () => resolve())
  })
}

/** Writes and, if the reader is slower than we are, waits for it: memory stays flat however much is printed. */
export async function writeOut(stream: OutputStream, text: string): Promise<void> {
  if (!stream.write(text)) await once(stream, 'drain')
}
