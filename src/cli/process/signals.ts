import { ConnectionError } from '../../contract/index.js'
import { exitCodes } from './exit-codes.js'

/** What ended a long command from outside. */
export type Interruption = 'SIGINT' | 'SIGTERM'

const codeOf = { SIGINT: exitCodes.interrupted, SIGTERM: exitCodes.terminated } as const

let handler: ((signal: Interruption) => void) | undefined

/** Ends the program on SIGINT (130) and SIGTERM (143) unless a command has taken them over. */
export function watchSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (handler === undefined) process.exit(codeOf[signal])
      handler(signal)
    })
  }
}

/**
 * Takes the signals over for a command that has to drain. The first one aborts the returned signal (its reason is the
 * signal's name) and sets the exit code; the second ends the program at once.
 */
export function takeSignals(): AbortSignal {
  const controller = new AbortController()
  handler = (signal) => {
    if (controller.signal.aborted) process.exit(codeOf[signal])
    process.exitCode = codeOf[signal]
    controller.abort(signal)
  }
  return controller.signal
}

/** Whether an error is no more than what a signal, taken over by the command, has cut short: its exit code stands. */
export function isInterruption(error: unknown): boolean {
  const isCutShort = error instanceof ConnectionError ? error.reason === 'aborted' : isAbort(error)
  return isCutShort && Object.values(codeOf).some((code) => code === process.exitCode)
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}
