import { ConnectionError } from '../../contract/index.js'
import type { Interruption, ProcessContext } from './context.js'
import { exitCodes } from './exit-codes.js'

const codeOf = {
  SIGINT: exitCodes.interrupted,
  SIGTERM: exitCodes.terminated,
  SIGHUP: exitCodes.hungUp,
} as const satisfies Record<Interruption, number>

/**
 * Ends the run on SIGINT (130), SIGTERM (143) and SIGHUP (129, a closed terminal) unless a command handles them itself.
 * Node gives up at its start that `nohup` ignores SIGHUP, so that it is known only by the variable `_` of the shell.
 */
export function watchSignals(context: ProcessContext): void {
  const isDetached = /(?:^|\/)nohup$/.test(context.env._ ?? '')
  if (isDetached) context.signals.on('SIGHUP', () => {})
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    if (signal === 'SIGHUP' && isDetached) continue
    context.signals.on(signal, () => {
      if (context.onInterruption === undefined) context.exit(codeOf[signal])
      else context.onInterruption(signal)
    })
  }
}

/**
 * Handles the signals for a command that has to finish its work. The first one aborts the returned `AbortSignal`
 * (its reason is the name of the signal) and sets the exit code; the second ends the run at once. A terminal that closes
 * sends SIGHUP more than once, by its shell and by the system: a repeated one changes nothing.
 */
export function takeSignals(context: ProcessContext): AbortSignal {
  const controller = new AbortController()
  context.onInterruption = (signal: Interruption) => {
    if (controller.signal.aborted) {
      if (signal !== 'SIGHUP') context.exit(codeOf[signal])
      return
    }
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

/**
 * Ends a command that npx started like SIGTERM once npx is gone. npx passes a signal only to the shell that it started the
 * command in, and the shell ends without passing it on.
 */
export function endWithNpx({ env, signals }: ProcessContext): void {
  if (env.npm_lifecycle_event !== 'npx' || !/^'?dlv\b/.test(env.npm_lifecycle_script ?? '')) return
  // What this command starts was not started by npx.
  delete env.npm_lifecycle_event
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    signals.emit('SIGTERM')
  }, 250)
  timer.unref()
}
