import type { RatePolicy } from './rate-limit-header.js'

/** The place that one request holds in a window. */
interface Slot {
  index: number
  freeAtMs: number
}

/**
 * Never more than `quota` requests within any window, whichever way the service counts: in fixed windows, in a sliding
 * one or by a bucket that fills. Each request takes the slot of the one `quota` before it, and may go when that slot
 * is free again.
 */
export class SlidingWindow {
  readonly quota: number
  readonly windowMs: number
  readonly #freeAtMs: Float64Array
  #next = 0

  constructor(readonly policy: RatePolicy) {
    const { quota, windowMs } = policy
    this.quota = quota
    this.windowMs = windowMs
    this.#freeAtMs = new Float64Array(quota)
  }

  /** When the next request may go; in the past if it may go at once. */
  nextFreeAtMs(): number {
    return this.#freeAtMs[this.#next] ?? 0
  }

  /** Takes the next slot from now for one window and a margin, and gives it. */
  take(nowMs: number, marginMs = 0): Slot {
    const index = this.#next
    const freeAtMs = nowMs + this.windowMs + marginMs
    this.#freeAtMs[index] = freeAtMs
    this.#next = (index + 1) % this.quota
    return { index, freeAtMs }
  }

  /** Sets when a slot is free, now that this is known, unless another request has taken it by now. */
  free({ index, freeAtMs }: Slot, atMs: number): void {
    if (this.#freeAtMs[index] === freeAtMs) this.#freeAtMs[index] = atMs
  }

  /** Requests that still count at this time. */
  usedAt(nowMs: number): number {
    return this.#freeAtMs.reduce((used, freeAtMs) => (freeAtMs > nowMs ? used + 1 : used), 0)
  }

  /** The same history under another policy. */
  resized(policy: RatePolicy, nowMs: number): SlidingWindow {
    const next = new SlidingWindow(policy)
    const taken = [...this.#freeAtMs].filter((freeAtMs) => freeAtMs > nowMs).sort((a, b) => a - b)
    for (const freeAtMs of taken.slice(-policy.quota)) next.take(freeAtMs - this.windowMs)
    return next
  }
}
