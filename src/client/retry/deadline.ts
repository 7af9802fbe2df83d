import { ConnectionError } from '../../contract/index.js'
import { longestDelayMs, spacedSpan } from '../../shared/durations.js'
import { clearTimeout, setTimeout } from '../../shared/timers.js'
import type { Clock } from '../clock.js'

/** The time that a call may take, all attempts and waits together. */
export interface Deadline {
  /** Milliseconds left; `Infinity` if there is no limit; never negative. */
  remainingMs(): number
  /** The whole, for messages. */
  timeoutMs: number
}

/** Starts now. `timeoutMs` 0 or `Infinity` means no limit. */
export function startDeadline(clock: Clock, timeoutMs: number): Deadline {
  const limitMs = timeoutMs > 0 ? timeoutMs : Number.POSITIVE_INFINITY
  if (limitMs === Number.POSITIVE_INFINITY) return noDeadline
  const startedMs = clock.monotonicMs()
  return { timeoutMs: limitMs, remainingMs: () => Math.max(0, limitMs - (clock.monotonicMs() - startedMs)) }
}

const noDeadline: Deadline = { timeoutMs: Number.POSITIVE_INFINITY, remainingMs: () => Number.POSITIVE_INFINITY }

/** The caller gave up. */
export function interrupted(): ConnectionError {
  return new ConnectionError('Interrupted before the answer came', { reason: 'aborted' })
}

/**
 * A signal for one attempt: it aborts at the limit, in milliseconds, or with the first of the given signals. `release`
 * ends both; without it a signal that lasts as long as a bulk run would collect a listener for every attempt.
 */
export function limitedSignal(
  signals: readonly (AbortSignal | undefined)[],
  limitMs: number,
): { signal: AbortSignal; release(): void } {
  const attempt = new AbortController()
  const followed = signals.filter((signal) => signal !== undefined)
  const abort = ({ target }: Event) => attempt.abort((target as AbortSignal).reason)
  for (const signal of followed) {
    if (signal.aborted) attempt.abort(signal.reason)
    else signal.addEventListener('abort', abort, { once: true })
  }
  const timer = Number.isFinite(limitMs)
    ? setTimeout(() => attempt.abort(timedOut(limitMs)), Math.min(limitMs, longestDelayMs))
    : undefined
  return {
    signal: attempt.signal,
    release() {
      clearTimeout(timer)
      for (const signal of followed) signal.removeEventListener('abort', abort)
    },
  }
}

function timedOut(limitMs: number): ConnectionError {
  return new ConnectionError(`No complete answer within ${spacedSpan(limitMs)}`, {
    reason: 'timeout',
    hint: 'The service may be slow, or allow more time.',
  })
}
