import { ConnectionError } from '../../contract/index.js'
import type { Interruption, ProcessContext } from './context.js'
import { exitCodes } from './exit-codes.js'

const codeOf = { SIGINT: exitCodes.interrupted, SIGTERM: exitCodes.terminated } as const

/** Ends the run on SIGINT (130) and SIGTERM (143) unless a command handles them itself. */
export function watchSignals(context: ProcessContext): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    context.signals.on(signal, () => {
      if (context.onInterruption === undefined) context.exit(codeOf[signal])
      else context.onInterruption(signal)
    })
  }
}

/**
 * Handles SIGINT and SIGTERM for a command that has to finish its work. The first one aborts the returned `AbortSignal`
 * (its reason is the name of the signal) and sets the exit code; the second ends the run at once.
 */
export function takeSignals(context: ProcessContext): AbortSignal {
  const controller = new AbortController()
  context.onInterruption = (signal: Interruption) => {
    if (controller.signal.aborted) return context.exit(codeOf[signal])
    context.exitCode = codeOf[signal]
    controller.abort(signal)
  }
  context.interruption = controller.signal
  return controller.signal
}

/** Whether an error is only the effect of a signal that the command handles, so that its exit code stands. */
export function isInterruption(error: unknown, { exitCode }: ProcessContext): boolean {
  const isCutShort = error instanceof ConnectionError ? error.reason === 'aborted' : isAbort(error) || isSignal(error)
  return isCutShort && Object.values(codeOf).some((code) => code === exitCode)
}

/** The client rejects with the reason of its `AbortSignal`, the name of the signal. */
function isSignal(error: unknown): boolean {
  return typeof error === 'string' && Object.hasOwn(codeOf, error)
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}
