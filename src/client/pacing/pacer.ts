import { type Clock, systemClock } from '../clock.js'
import { parseHttpDate } from '../http-date.js'
import type { HeaderReader } from '../transport/transport.js'
import { type Allowance, longestPaceMs, type QuotaState, type RatePolicy, readAllowance } from './rate-limit-header.js'
import { SlidingWindow } from './sliding-window.js'

/** The right to send one request. */
export interface Permit {
  /** Reports the response to the request, or that there was none. Called exactly once. */
  settle(answer?: {
    /** The HTTP status. */
    status: number
    /** The headers, which tell how many requests are left. */
    headers: HeaderReader
    /** The wait that the service asked for, in milliseconds. */
    retryAfterMs?: number | undefined
  }): void
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
  /** Remaining wait that the service has asked for, in milliseconds; 0 if none. */
  heldForMs(): number
  /** Requests per second that the service allows; `undefined` if it has not said so yet. */
  allowedPerSecond(): number | undefined
  /** The policy that currently delays requests, if one does. */
  limitedBy?(): RatePolicy | undefined
  /** Average latency of recent requests, in milliseconds; `undefined` before the first response. */
  meanLatencyMs(): number | undefined
}

/** The initial share of the window by which a slot is held longer while its response is pending; doubled by each 429. */
const firstMarginShare = 0.02
/** A share of the window that stays as a margin in any case: the next request may be quicker than any before. */
const slackShare = 0.003
/** Requests are spread over this share of the window instead of being sent in a burst. */
const spreadShare = 0.95
/** Number of responses after which the fastest is used as an estimate of the network latency. */
const enoughAnswers = 20
/** Above this rate a timer is too coarse to spread, and counting each request costs more than it saves. */
const uncountedPerSecond = 5_000

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
  const clock = options.clock ?? systemClock
  let windows: SlidingWindow[] = []
  let isLearned = false
  let heldUntilMs = 0
  let spacedAtMs = 0
  /** The remaining requests of the scarcest quota, and the time of its reset. */
  let quota: { policy: RatePolicy; left: number; resetAtMs: number } | undefined
  let inFlight = 0
  let shortestMs = Number.POSITIVE_INFINITY
  let meanMs: number | undefined
  let marginShare = firstMarginShare
  let answers = 0
  let sends = 0
  const startedMs = clock.monotonicMs()
  /** When the rate was last changed that is inferred from 429 responses without headers about the allowance. */
  let foundOutMs: number | undefined
  /** The latest times at which the requests that were sent to learn the rate can have been counted. */
  const probesAtMs: number[] = []
  const queue: Waiter[] = []
  let alarm: AbortController | undefined
  /** The policies followed last: most responses of a run repeat them. */
  let followed: readonly RatePolicy[] | undefined
  const nowMsOf = (headers: HeaderReader) => parseHttpDate(headers.get('date') ?? '') ?? clock.nowMs()

  if (options.requestsPerSecond !== undefined)
    follow([{ quota: Math.max(1, Math.floor(options.requestsPerSecond)), windowMs: 1_000 }])

  function follow(policies: readonly RatePolicy[]): void {
    if (policies === followed) return
    followed = policies
    const counted = policies.filter(
      ({ quota, windowMs }) => windowMs <= longestPaceMs && (quota / windowMs) * 1_000 <= uncountedPerSecond,
    )
    const nowMs = clock.monotonicMs()
    windows = counted.map((policy) => {
      const same = windows.find(({ quota, windowMs }) => quota === policy.quota && windowMs === policy.windowMs)
      const kin = windows.find(({ windowMs }) => windowMs === policy.windowMs) ?? windows[0]
      return same ?? kin?.resized(policy, nowMs) ?? opened(policy)
    })
    isLearned = true
  }

  /** A first window, which counts the requests that were sent to learn the rate. */
  function opened(policy: RatePolicy): SlidingWindow {
    const window = new SlidingWindow(policy)
    for (const atMs of probesAtMs) window.take(atMs, policy.windowMs * marginShare)
    return window
  }

  function nextAtMs(): number {
    let atMs = Math.max(heldUntilMs, spacedAtMs, quotaAtMs())
    for (const window of windows) atMs = Math.max(atMs, window.nextFreeAtMs())
    return atMs
  }

  /** When the quota allows a request again. */
  function quotaAtMs(): number {
    return quota !== undefined && quota.left <= 0 ? quota.resetAtMs : 0
  }

  /** Whether answers that are awaited tell whether there is anything left. */
  function isAwaited(): boolean {
    return inFlight > 0 && (!isLearned || (quota !== undefined && quota.left <= 0))
  }

  function pump(): void {
    alarm?.abort()
    alarm = undefined
    while (queue.length > 0) {
      const nowMs = clock.monotonicMs()
      const atMs = nextAtMs()
      expire(isAwaited() ? nowMs : Math.max(nowMs, atMs))
      if (queue.length === 0 || isAwaited()) return
      if (atMs > nowMs) {
        wakeIn(atMs - nowMs)
        return
      }
      queue.shift()?.resolve(grant(nowMs))
    }
  }

  function expire(earliestMs: number): void {
    for (let at = queue.length - 1; at >= 0; at--)
      if ((queue[at]?.expiresAtMs ?? 0) < earliestMs) queue.splice(at, 1)[0]?.resolve(undefined)
  }

  function wakeIn(delayMs: number): void {
    alarm = new AbortController()
    const { signal } = alarm
    void clock.sleep(delayMs, signal).then(() => {
      if (!signal.aborted) pump()
    })
  }

  function grant(nowMs: number): Permit {
    inFlight++
    sends++
    if (quota !== undefined && nowMs >= quota.resetAtMs) quota = undefined
    if (quota !== undefined) quota.left--
    const isProbe = !isLearned
    let gapMs = 0
    for (const { quota, windowMs } of windows) gapMs = Math.max(gapMs, (windowMs / quota) * spreadShare)
    if (gapMs >= 1) spacedAtMs = Math.max(spacedAtMs, nowMs - gapMs / 2) + gapMs
    const slots = windows.map((window) => ({ window, slot: window.take(nowMs, window.windowMs * marginShare) }))
    return {
      settle(answer) {
        inFlight--
        const endedMs = clock.monotonicMs()
        const durationMs = endedMs - nowMs
        if (answer !== undefined) {
          answers++
          shortestMs = Math.min(shortestMs, durationMs)
          meanMs = meanMs === undefined ? durationMs : meanMs + (durationMs - meanMs) / 16
        }
        // It may have been counted this much later than the quickest is; with few answers seen, nobody knows.
        const lateMs = answers < enoughAnswers ? durationMs : durationMs - shortestMs
        for (const { window, slot } of slots) window.free(slot, nowMs + window.windowMs * (1 + slackShare) + lateMs)
        if (isProbe) probesAtMs.push(endedMs)
        if (answer !== undefined) learn(answer, endedMs)
        else isLearned = true
        pump()
      },
    }
  }

  function learn({ status, headers, retryAfterMs }: NonNullable<Parameters<Permit['settle']>[0]>, nowMs: number): void {
    const allowance = readAllowance(headers, nowMsOf)
    isLearned = true
    if (allowance.policies.length > 0) {
      foundOutMs = undefined
      follow(allowance.policies)
    } else if (status !== 429) grow(nowMs)
    if (allowance.quota !== undefined) keep(allowance.quota, nowMs)
    if (retryAfterMs !== undefined) hold(nowMs, retryAfterMs)
    if (status === 429) refused(nowMs, allowance, retryAfterMs)
    else if (allowance.remaining !== undefined && isTakenByOthers(allowance, nowMs))
      hold(nowMs, allowance.resetMs ?? windows[0]?.windowMs ?? 1_000)
  }

  /** Follows a quota; those in flight may not be counted yet. */
  function keep({ policy, remaining, resetMs = 1_000 }: QuotaState, nowMs: number): void {
    quota = { policy, left: remaining - inFlight, resetAtMs: nowMs + resetMs }
  }

  /** A refusal despite pacing: hold all requests, and be more careful from now on. */
  function refused(nowMs: number, allowance: Allowance, retryAfterMs: number | undefined): void {
    if (retryAfterMs === undefined) hold(nowMs, allowance.resetMs ?? 1_000)
    marginShare = Math.min(1, marginShare * 2)
    if (allowance.policies.length > 0 || (windows.length > 0 && foundOutMs === undefined)) return
    const perSecond = windows[0]?.quota ?? sends / Math.max(0.1, (nowMs - startedMs) / 1_000)
    follow([{ quota: Math.max(1, Math.floor(perSecond * 0.8)), windowMs: 1_000 }])
    foundOutMs = nowMs
  }

  /** A rate that was found out by refusals grows by a twentieth a second until the next one. */
  function grow(nowMs: number): void {
    const [window] = windows
    if (foundOutMs === undefined || window === undefined || nowMs - foundOutMs < 1_000) return
    follow([{ quota: Math.ceil(window.quota * 1.05), windowMs: 1_000 }])
    foundOutMs = nowMs
  }

  /** Whether nothing is left though this pacer has not used it up: another program shares the key. */
  function isTakenByOthers({ remaining = 0 }: Allowance, nowMs: number): boolean {
    if (remaining - inFlight > 0) return false
    return windows.every((window) => window.usedAt(nowMs) < window.quota * 0.75)
  }

  function hold(nowMs: number, delayMs: number): void {
    heldUntilMs = Math.max(heldUntilMs, nowMs + delayMs)
  }

  function tryAcquire(): Permit | undefined {
    const nowMs = clock.monotonicMs()
    const isFree = queue.length === 0 && !isAwaited() && nextAtMs() <= nowMs
    return isFree ? grant(nowMs) : undefined
  }

  return {
    tryAcquire,
    acquire(limitMs, signal) {
      if (signal?.aborted) return Promise.resolve(undefined)
      const granted = tryAcquire()
      if (granted !== undefined) return Promise.resolve(granted)
      const nowMs = clock.monotonicMs()
      return new Promise((resolve) => {
        const waiter: Waiter = {
          expiresAtMs: nowMs + limitMs,
          resolve(permit) {
            signal?.removeEventListener('abort', leave)
            resolve(permit)
          },
        }
        const leave = () => {
          const at = queue.indexOf(waiter)
          if (at >= 0) queue.splice(at, 1)
          waiter.resolve(undefined)
          if (queue.length === 0) alarm?.abort()
        }
        signal?.addEventListener('abort', leave, { once: true })
        queue.push(waiter)
        if (alarm === undefined || alarm.signal.aborted) pump()
      })
    },
    heldForMs: () => Math.max(0, Math.max(heldUntilMs, inFlight > 0 ? 0 : quotaAtMs()) - clock.monotonicMs()),
    limitedBy() {
      if (quota !== undefined && quota.left <= 0) return quota.policy
      const [first, ...others] = queue.length === 0 ? [] : windows
      return others.reduce((least, each) => (each.nextFreeAtMs() > (least?.nextFreeAtMs() ?? 0) ? each : least), first)
        ?.policy
    },
    meanLatencyMs: () => meanMs,
    allowedPerSecond() {
      let least = Number.POSITIVE_INFINITY
      for (const { quota, windowMs } of windows) least = Math.min(least, (quota / windowMs) * 1_000)
      return windows.length === 0 ? undefined : least
    },
  }
}
