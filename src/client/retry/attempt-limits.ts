import { ConnectionError, longestDelayMs } from '../../contract/index.js'
import { clearTimeout, setTimeout } from '../../shared/timers.js'
import { systemClock } from '../clock.js'
import type { Interruption } from '../transport/interruption.js'
import { formatSpan } from './deadline.js'

interface Limit {
  limitMs: number
  endsAtMs: number
}

/** Ends attempts that pass their limits. One timer serves all of them: one for each would be a hundredth of a bulk run. */
export class AttemptLimits {
  readonly #running = new Map<Interruption, Limit>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #firesAtMs = Number.POSITIVE_INFINITY

  /** Ends the attempt at the limit, unless it is `done` before. */
  start(attempt: Interruption, limitMs: number): void {
    if (!Number.isFinite(limitMs)) return
    const endsAtMs = systemClock.monotonicMs() + limitMs
    this.#running.set(attempt, { limitMs, endsAtMs })
    if (endsAtMs < this.#firesAtMs) this.#setTimer(endsAtMs, limitMs)
  }

  done(attempt: Interruption): void {
    if (this.#running.delete(attempt) && this.#running.size === 0) this.#clearTimer()
  }

  #endOverdue(): void {
    const nowMs = systemClock.monotonicMs()
    let nextMs = Number.POSITIVE_INFINITY
    for (const [attempt, { limitMs, endsAtMs }] of this.#running) {
      if (endsAtMs > nowMs) {
        nextMs = Math.min(nextMs, endsAtMs)
        continue
      }
      this.#running.delete(attempt)
      attempt.end(timedOut(limitMs))
    }
    this.#clearTimer()
    if (Number.isFinite(nextMs)) this.#setTimer(nextMs, nextMs - nowMs)
  }

  #setTimer(atMs: number, inMs: number): void {
    this.#clearTimer()
    this.#firesAtMs = atMs
    this.#timer = setTimeout(() => this.#endOverdue(), Math.min(Math.ceil(inMs), longestDelayMs))
  }

  #clearTimer(): void {
    clearTimeout(this.#timer)
    this.#firesAtMs = Number.POSITIVE_INFINITY
  }
}

function timedOut(limitMs: number): ConnectionError {
  return new ConnectionError(`No complete answer within ${formatSpan(limitMs)}`, {
    reason: 'timeout',
    hint: 'The service may be slow, or allow more time.',
  })
}
