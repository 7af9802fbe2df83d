import { ConnectionError } from '../../contract/index.js'
import { parseDurationMs } from '../input/durations.js'
import type { ProcessContext } from '../process/context.js'
import type { GlobalFlags } from './global-flags.js'

/** The error of a command that `--timeout` ends between its calls, or while it reads a list. */
export function commandTimedOut(timeoutMs: number): ConnectionError {
  const message = `The command was not done within the ${timeoutMs / 1_000} s of --timeout`
  return new ConnectionError(message, { reason: 'timeout', hint: 'Allow more time, or ask for less.' })
}

/**
 * Starts the limit of a command. The result tells the milliseconds that are left for its next call, and throws if none
 * are. The time in which the user is asked something does not count.
 */
export function startTimeLimit(timeoutMs: number, context: Pick<ProcessContext, 'askedMs'>): () => number {
  const now = () => performance.now() - (context.askedMs ?? 0)
  const startedMs = now()
  return () => {
    const leftMs = timeoutMs - (now() - startedMs)
    if (leftMs <= 0) throw commandTimedOut(timeoutMs)
    return leftMs
  }
}

/** The limits of a command and of one request, in milliseconds. */
export interface TimeLimits {
  timeoutMs?: number
  attemptTimeoutMs?: number
}

/** The time limits of the command and of one request, from the flags or `DLV_TIMEOUT`. */
export function timeLimitsOf(
  { timeout, 'attempt-timeout': attemptTimeout }: Pick<GlobalFlags, 'timeout' | 'attempt-timeout'>,
  env: NodeJS.ProcessEnv,
): TimeLimits {
  const variable = env.DLV_TIMEOUT
  const limits: TimeLimits = {}
  if (timeout !== undefined) limits.timeoutMs = parseDurationMs(timeout, '--timeout')
  else if (variable !== undefined && variable !== '') limits.timeoutMs = parseDurationMs(variable, 'DLV_TIMEOUT')
  if (attemptTimeout !== undefined) limits.attemptTimeoutMs = parseDurationMs(attemptTimeout, '--attempt-timeout')
  return limits
}
