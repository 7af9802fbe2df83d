import { ConnectionError, longestDelayMs } from '../../contract/index.js'
import { clearTimeout, setTimeout } from '../../shared/timers.js'
import { formatSpan } from './deadline.js'

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
  return new ConnectionError(`No complete answer within ${formatSpan(limitMs)}`, {
    reason: 'timeout',
    hint: 'The service may be slow, or allow more time.',
  })
}
