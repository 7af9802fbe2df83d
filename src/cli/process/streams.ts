import { once } from 'node:events'
import type { OutputStream, ProcessContext } from './context.js'
import { exitCodes } from './exit-codes.js'

/**
 * Ends the run quietly if the reader has gone, with the exit code of SIGPIPE. Calls `unwritten` if a result cannot be
 * written, for example on a full disk. Must run before anything else listens to these streams.
 */
export function watchStreams(context: ProcessContext, unwritten: (error: Error) => void): void {
  context.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return endWithReader(context)
    // oclif also listens to the process's stream and throws the same error after us: report it once, in our words.
    if (context.stdout === process.stdout)
      process.once('uncaughtException', (thrown) => {
        if (thrown !== error) throw thrown
      })
    // Nobody reads a terminal that is closed; the command still has to finish its work.
    if (context.interruption?.reason === 'SIGHUP') return
    unwritten(error)
  })
  // If stderr fails too, nothing can be reported; the results and the exit code stand without notices.
  context.stderr.on('error', () => {})
}

/** Time for the signal that ended the reader to arrive here too. */
const signalMs = 50

/**
 * Ends a run that nobody reads, unless a signal came that the command handles: a closed terminal and Ctrl-C also end the
 * reader, such as `tee`, and the command still has to finish its work.
 */
function endWithReader(context: ProcessContext): void {
  const end = () => context.interruption?.aborted || context.exit(exitCodes.readerGone)
  if (context.interruption === undefined) end()
  else setTimeout(end, signalMs)
}

/** Resolves once everything written so far has left the process, however slowly it is read. */
export function drained(stream: OutputStream): Promise<void> {
  return new Promise((resolve) => {
    // A failed stream notifies its listeners a moment later; wait for that too.
    if (stream.errored !== null) setImmediate(resolve)
    else if (stream.destroyed || stream.writableEnded) resolve()
    else stream.write('', () => resolve())
  })
}

/** Writes, and waits for the reader if it is slower, so that memory stays flat however much is printed. */
export async function writeOut(stream: OutputStream, text: string | Uint8Array): Promise<void> {
  // Nothing drains once the reader has gone: only signals and timers are awaited.
  if (stream.errored !== null) return new Promise(setImmediate)
  if (stream.write(text)) return
  await once(stream, 'drain').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}
