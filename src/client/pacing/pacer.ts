import { assertKnownOptions, assertLimits } from '../../shared/word-match.js'
import { type Clock, systemClock } from '../clock.js'
import { Pace, type Permit } from './pace.js'
import type { RatePolicy } from './rate-limit-header.js'

/** Decides when requests may be sent, so that the whole allowance is used and none is refused. */
export interface Pacer {
  /**
   * Resolves when a request may be sent; `undefined` if that is known to take longer than `limitMs`, or when the
   * signal aborts.
   */
  acquire(limitMs: number, signal?: AbortSignal): Promise<Permit | undefined>
  /** The right to send a request now; `undefined` if that takes a wait. */
  tryAcquire?(): Permit | undefined
  /** Remaining wait that the service has asked for, in milliseconds; 0 if none. */
  heldForMs(): number
  /** Requests per second that the service allows; `undefined` if it has not said so yet. */
  allowedPerSecond(): number | undefined
  /** The policy that currently delays requests, if one does. */
  limitedBy?(): RatePolicy | undefined
  /** Average latency of recent requests, in milliseconds; `undefined` before the first response. */
  meanLatencyMs(): number | undefined
}

interface Waiter {
  expiresAtMs: number
  resolve(permit: Permit | undefined): void
}

/**
 * A pacer for all requests under one key. It starts with `requestsPerSecond` if that is known, else sends one
 * request and learns from its answer; from then on it follows `RateLimit-Policy`, `RateLimit` and `Retry-After`.
 */
export function createPacer(
  options: {
    /** The rate to begin with, until the service says its own. */
    requestsPerSecond?: number | undefined
    /** Replaces the clock, for tests. */
    clock?: Clock
  } = {},
): Pacer {
  assertKnownOptions('createPacer', options, { requestsPerSecond: 0, clock: 0 })
  assertLimits({ requestsPerSecond: options.requestsPerSecond }, 0.01)
  return new QueuedPacer(options.clock ?? systemClock, options.requestsPerSecond)
}

/** Requests wait in one queue for the pace that the service allows. */
class QueuedPacer implements Pacer {
  readonly #pace: Pace
  readonly #queue: Waiter[] = []
  #alarm: AbortController | undefined

  constructor(
    private readonly clock: Clock,
    requestsPerSecond: number | undefined,
  ) {
    this.#pace = new Pace(clock, requestsPerSecond)
  }

  tryAcquire(): Permit | undefined {
    const nowMs = this.clock.monotonicMs()
    const isFree = this.#queue.length === 0 && !this.#pace.isAwaited() && this.#pace.nextAtMs() <= nowMs
    return isFree ? this.#grant(nowMs) : undefined
  }

  acquire(limitMs: number, signal?: AbortSignal): Promise<Permit | undefined> {
    if (signal?.aborted) return Promise.resolve(undefined)
    const granted = this.tryAcquire()
    if (granted !== undefined) return Promise.resolve(granted)
    return new Promise((resolve) => {
      const waiter: Waiter = {
        expiresAtMs: this.clock.monotonicMs() + limitMs,
        resolve(permit) {
          signal?.removeEventListener('abort', leave)
          resolve(permit)
        },
      }
      const leave = () => this.#leave(waiter)
      signal?.addEventListener('abort', leave, { once: true })
      this.#queue.push(waiter)
      if (this.#alarm === undefined || this.#alarm.signal.aborted) this.#pump()
    })
  }

  heldForMs(): number {
    return this.#pace.heldForMs()
  }

  limitedBy(): RatePolicy | undefined {
    return this.#pace.limitedBy(this.#queue.length > 0)
  }

  meanLatencyMs(): number | undefined {
    return this.#pace.meanMs
  }

  allowedPerSecond(): number | undefined {
    return this.#pace.allowedPerSecond()
  }

  #grant(nowMs: number): Permit {
    return this.#pace.take(nowMs, () => this.#pump())
  }

  /** Lets those go whose time has come, and wakes when that of the next has. */
  #pump(): void {
    this.#alarm?.abort()
    this.#alarm = undefined
    while (this.#queue.length > 0) {
      const nowMs = this.clock.monotonicMs()
      const atMs = this.#pace.nextAtMs()
      this.#expire(this.#pace.isAwaited() ? nowMs : Math.max(nowMs, atMs))
      if (this.#queue.length === 0 || this.#pace.isAwaited()) return
      if (atMs > nowMs) {
        this.#wakeIn(atMs - nowMs)
        return
      }
      this.#queue.shift()?.resolve(this.#grant(nowMs))
    }
  }

  #expire(earliestMs: number): void {
    for (let at = this.#queue.length - 1; at >= 0; at--)
      if ((this.#queue[at]?.expiresAtMs ?? 0) < earliestMs) this.#queue.splice(at, 1)[0]?.resolve(undefined)
  }

  #wakeIn(delayMs: number): void {
    this.#alarm = new AbortController()
    const { signal } = this.#alarm
    void this.clock.sleep(delayMs, signal).then(() => {
      if (!signal.aborted) this.#pump()
    })
  }

  #leave(waiter: Waiter): void {
    const at = this.#queue.indexOf(waiter)
    if (at >= 0) this.#queue.splice(at, 1)
    waiter.resolve(undefined)
    if (this.#queue.length === 0) this.#alarm?.abort()
  }
}
