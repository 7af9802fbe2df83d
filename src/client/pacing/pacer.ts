import { type Clock, systemClock } from '../clock.js'
import type { RatePolicy } from './rate-limit-header.js'
import { type Answer, RateSchedule } from './rate-schedule.js'

/** The right to send one request. */
export interface Permit {
  /** Says how the request ended: with which answer, or without any. Called exactly once. */
  settle(answer?: Answer): void
}

/** Decides when requests may be sent, so that the whole allowance is used and none is refused. */
export interface Pacer {
  /**
   * Resolves when a request may be sent; `undefined` if that is known to take longer than `limitMs`, or when the
   * signal aborts.
   */
  acquire(limitMs: number, signal?: AbortSignal): Promise<Permit | undefined>
  /** The right to send a request now; `undefined` if that takes a wait. */
  tryAcquire?(): Permit | undefined
  /** Milliseconds for which the service has asked everyone to wait; 0 if it has not. */
  heldForMs(): number
  /** Requests a second that the service allows, as far as it has said; `undefined` if it has not. */
  allowedPerSecond(): number | undefined
  /** The policy that holds requests back now, if one does. */
  limitedBy?(): RatePolicy | undefined
  /** How long recent requests took from sending to answer, in milliseconds, on average; `undefined` before the first. */
  meanLatencyMs(): number | undefined
}

/**
 * A pacer for all requests under one key. It starts with `requestsPerSecond` if that is known, else sends one
 * request and learns from its answer; from then on it follows `RateLimit-Policy`, `RateLimit` and `Retry-After`.
 */
export function createPacer({
  requestsPerSecond,
  clock = systemClock,
}: {
  /** The rate to begin with, until the service says its own. */
  requestsPerSecond?: number | undefined
  /** Replaces the clock, for tests. */
  clock?: Clock | undefined
} = {}): Pacer {
  const schedule = new RateSchedule(clock, requestsPerSecond)
  const queue = new PermitQueue(clock, schedule)
  return {
    acquire: (limitMs, signal) => queue.acquire(limitMs, signal),
    tryAcquire: () => queue.tryAcquire(),
    heldForMs: () => schedule.heldForMs(),
    limitedBy: () => schedule.limitedBy(queue.isWaiting),
    meanLatencyMs: () => schedule.meanLatencyMs,
    allowedPerSecond: () => schedule.allowedPerSecond(),
  }
}

interface Waiter {
  expiresAtMs: number
  resolve(permit: Permit | undefined): void
}

/** Those who wait for a permit, in the order in which they came. */
class PermitQueue {
  readonly #waiters: Waiter[] = []
  /** Ends the wait for the next permit. */
  #alarm: AbortController | undefined

  constructor(
    private readonly clock: Clock,
    private readonly schedule: RateSchedule,
  ) {}

  get isWaiting(): boolean {
    return this.#waiters.length > 0
  }

  tryAcquire(): Permit | undefined {
    const nowMs = this.clock.monotonicMs()
    const isFree = !this.isWaiting && !this.schedule.isAwaited() && this.schedule.nextAtMs() <= nowMs
    return isFree ? this.#grant(nowMs) : undefined
  }

  acquire(limitMs: number, signal?: AbortSignal): Promise<Permit | undefined> {
    const granted = signal?.aborted ? undefined : this.tryAcquire()
    if (granted !== undefined || signal?.aborted) return Promise.resolve(granted)
    const expiresAtMs = this.clock.monotonicMs() + limitMs
    return new Promise((resolve) => {
      const leave = () => this.#remove(waiter)
      const waiter: Waiter = {
        expiresAtMs,
        resolve(permit) {
          signal?.removeEventListener('abort', leave)
          resolve(permit)
        },
      }
      signal?.addEventListener('abort', leave, { once: true })
      this.#waiters.push(waiter)
      if (this.#alarm === undefined || this.#alarm.signal.aborted) this.#serve()
    })
  }

  #remove(waiter: Waiter): void {
    const at = this.#waiters.indexOf(waiter)
    if (at >= 0) this.#waiters.splice(at, 1)
    waiter.resolve(undefined)
    if (!this.isWaiting) this.#alarm?.abort()
  }

  #grant(nowMs: number): Permit {
    const end = this.schedule.start(nowMs)
    return {
      settle: (answer) => {
        end(answer)
        this.#serve()
      },
    }
  }

  /** Gives permits to all who may have one now, and wakes up for the next. */
  #serve(): void {
    this.#alarm?.abort()
    this.#alarm = undefined
    while (this.isWaiting) {
      const nowMs = this.clock.monotonicMs()
      const atMs = this.schedule.nextAtMs()
      const isAwaited = this.schedule.isAwaited()
      this.#dismiss(isAwaited ? nowMs : Math.max(nowMs, atMs))
      if (!this.isWaiting || isAwaited) return
      if (atMs > nowMs) {
        this.#wakeIn(atMs - nowMs)
        return
      }
      this.#waiters.shift()?.resolve(this.#grant(nowMs))
    }
  }

  /** Sends those away who would have to wait longer than they can. */
  #dismiss(earliestMs: number): void {
    for (let at = this.#waiters.length - 1; at >= 0; at--)
      if ((this.#waiters[at]?.expiresAtMs ?? 0) < earliestMs) this.#waiters.splice(at, 1)[0]?.resolve(undefined)
  }

  #wakeIn(delayMs: number): void {
    this.#alarm = new AbortController()
    const { signal } = this.#alarm
    void this.clock.sleep(delayMs, signal).then(() => {
      if (!signal.aborted) this.#serve()
    })
  }
}
