import type { Clock } from '../clock.js'
import { parseHttpDate } from '../service-clock.js'
import type { HeaderReader } from '../transport/transport.js'
import { type Allowance, longestPaceMs, type QuotaState, type RatePolicy, readAllowance } from './rate-limit-header.js'

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

/** When requests may go, by what the responses so far have told of the allowance. */
export class Pace {
  #windows: SlidingWindow[] = []
  #isLearned = false
  #heldUntilMs = 0
  #spacedAtMs = 0
  /** The remaining requests of the scarcest quota, and the time of its reset. */
  #quota: { policy: RatePolicy; left: number; resetAtMs: number } | undefined
  #inFlight = 0
  #shortestMs = Number.POSITIVE_INFINITY
  /** Average latency of recent requests, in milliseconds. */
  meanMs: number | undefined
  #marginShare = firstMarginShare
  #answers = 0
  #sends = 0
  readonly #startedMs: number
  /** When the rate was last changed that is inferred from 429 responses without headers about the allowance. */
  #foundOutMs: number | undefined
  /** The latest times at which the requests that were sent to learn the rate can have been counted. */
  readonly #probesAtMs: number[] = []
  /** The policies followed last: most responses of a run repeat them. */
  #followed: readonly RatePolicy[] | undefined
  readonly #nowMsOf = (headers: HeaderReader) => parseHttpDate(headers.get('date') ?? '') ?? this.clock.nowMs()

  constructor(
    private readonly clock: Clock,
    requestsPerSecond: number | undefined,
  ) {
    this.#startedMs = clock.monotonicMs()
    if (requestsPerSecond !== undefined)
      this.#follow([{ quota: Math.max(1, Math.floor(requestsPerSecond)), windowMs: 1_000 }])
  }

  /** The earliest time of the next request; in the past if it may go at once. */
  nextAtMs(): number {
    let atMs = Math.max(this.#heldUntilMs, this.#spacedAtMs, this.#quotaAtMs())
    for (const window of this.#windows) atMs = Math.max(atMs, window.nextFreeAtMs())
    return atMs
  }

  /** Whether responses that are awaited tell whether there is anything left. */
  isAwaited(): boolean {
    const isUsedUp = this.#quota !== undefined && this.#quota.left <= 0
    return this.#inFlight > 0 && (!this.#isLearned || isUsedUp)
  }

  /** Remaining wait that the service has asked for, in milliseconds; 0 if none. */
  heldForMs(): number {
    const quotaAtMs = this.#inFlight > 0 ? 0 : this.#quotaAtMs()
    return Math.max(0, Math.max(this.#heldUntilMs, quotaAtMs) - this.clock.monotonicMs())
  }

  /** The policy that delays requests: a quota that is used up or, if requests wait, the window that is free last. */
  limitedBy(isAnyWaiting: boolean): RatePolicy | undefined {
    if (this.#quota !== undefined && this.#quota.left <= 0) return this.#quota.policy
    const [first, ...others] = isAnyWaiting ? this.#windows : []
    return others.reduce((least, each) => (each.nextFreeAtMs() > (least?.nextFreeAtMs() ?? 0) ? each : least), first)
      ?.policy
  }

  /** Requests per second that the service allows. */
  allowedPerSecond(): number | undefined {
    let least = Number.POSITIVE_INFINITY
    for (const { quota, windowMs } of this.#windows) least = Math.min(least, (quota / windowMs) * 1_000)
    return this.#windows.length === 0 ? undefined : least
  }

  /**
   * Counts a request that is sent now.
   *
   * @param settled called after its response is taken into account
   */
  take(nowMs: number, settled: () => void): Permit {
    this.#inFlight++
    this.#sends++
    if (this.#quota !== undefined && nowMs >= this.#quota.resetAtMs) this.#quota = undefined
    if (this.#quota !== undefined) this.#quota.left--
    this.#spread(nowMs)
    const isProbe = !this.#isLearned
    const slots = this.#windows.map((window) => {
      return { window, slot: window.take(nowMs, window.windowMs * this.#marginShare) }
    })
    return {
      settle: (answer) => {
        this.#inFlight--
        const endedMs = this.clock.monotonicMs()
        const durationMs = endedMs - nowMs
        if (answer !== undefined) this.#time(durationMs)
        // It may have been counted this much later than the quickest is; with few answers seen, nobody knows.
        const lateMs = this.#answers < enoughAnswers ? durationMs : durationMs - this.#shortestMs
        for (const { window, slot } of slots) window.free(slot, nowMs + window.windowMs * (1 + slackShare) + lateMs)
        if (isProbe) this.#probesAtMs.push(endedMs)
        if (answer !== undefined) this.#learn(answer, endedMs)
        else this.#isLearned = true
        settled()
      },
    }
  }

  #spread(nowMs: number): void {
    let gapMs = 0
    for (const { quota, windowMs } of this.#windows) gapMs = Math.max(gapMs, (windowMs / quota) * spreadShare)
    if (gapMs >= 1) this.#spacedAtMs = Math.max(this.#spacedAtMs, nowMs - gapMs / 2) + gapMs
  }

  #time(durationMs: number): void {
    this.#answers++
    this.#shortestMs = Math.min(this.#shortestMs, durationMs)
    this.meanMs = this.meanMs === undefined ? durationMs : this.meanMs + (durationMs - this.meanMs) / 16
  }

  /** When the quota allows a request again. */
  #quotaAtMs(): number {
    return this.#quota !== undefined && this.#quota.left <= 0 ? this.#quota.resetAtMs : 0
  }

  #follow(policies: readonly RatePolicy[]): void {
    if (policies === this.#followed) return
    this.#followed = policies
    const counted = policies.filter(
      ({ quota, windowMs }) => windowMs <= longestPaceMs && (quota / windowMs) * 1_000 <= uncountedPerSecond,
    )
    const nowMs = this.clock.monotonicMs()
    this.#windows = counted.map((policy) => {
      const same = this.#windows.find(({ quota, windowMs }) => quota === policy.quota && windowMs === policy.windowMs)
      const kin = this.#windows.find(({ windowMs }) => windowMs === policy.windowMs) ?? this.#windows[0]
      return same ?? kin?.resized(policy, nowMs) ?? this.#opened(policy)
    })
    this.#isLearned = true
  }

  /** A first window, which counts the requests that were sent to learn the rate. */
  #opened(policy: RatePolicy): SlidingWindow {
    const window = new SlidingWindow(policy)
    for (const atMs of this.#probesAtMs) window.take(atMs, policy.windowMs * this.#marginShare)
    return window
  }

  #learn({ status, headers, retryAfterMs }: NonNullable<Parameters<Permit['settle']>[0]>, nowMs: number): void {
    const allowance = readAllowance(headers, this.#nowMsOf)
    this.#isLearned = true
    if (allowance.policies.length > 0) {
      this.#foundOutMs = undefined
      this.#follow(allowance.policies)
    } else if (status !== 429) this.#grow(nowMs)
    if (allowance.quota !== undefined) this.#keep(allowance.quota, nowMs)
    if (retryAfterMs !== undefined) this.#hold(nowMs, retryAfterMs)
    if (status === 429) this.#refused(nowMs, allowance, retryAfterMs)
    else if (allowance.remaining !== undefined && this.#isTakenByOthers(allowance, nowMs))
      this.#hold(nowMs, allowance.resetMs ?? this.#windows[0]?.windowMs ?? 1_000)
  }

  /** Follows a quota; those in flight may not be counted yet. */
  #keep({ policy, remaining, resetMs = 1_000 }: QuotaState, nowMs: number): void {
    this.#quota = { policy, left: remaining - this.#inFlight, resetAtMs: nowMs + resetMs }
  }

  /** A refusal despite pacing: hold all requests, and be more careful from now on. */
  #refused(nowMs: number, allowance: Allowance, retryAfterMs: number | undefined): void {
    if (retryAfterMs === undefined) this.#hold(nowMs, allowance.resetMs ?? 1_000)
    this.#marginShare = Math.min(1, this.#marginShare * 2)
    if (allowance.policies.length > 0 || (this.#windows.length > 0 && this.#foundOutMs === undefined)) return
    const perSecond = this.#windows[0]?.quota ?? this.#sends / Math.max(0.1, (nowMs - this.#startedMs) / 1_000)
    this.#follow([{ quota: Math.max(1, Math.floor(perSecond * 0.8)), windowMs: 1_000 }])
    this.#foundOutMs = nowMs
  }

  /** A rate that was found out by refusals grows by a twentieth a second until the next one. */
  #grow(nowMs: number): void {
    const [window] = this.#windows
    if (this.#foundOutMs === undefined || window === undefined || nowMs - this.#foundOutMs < 1_000) return
    this.#follow([{ quota: Math.ceil(window.quota * 1.05), windowMs: 1_000 }])
    this.#foundOutMs = nowMs
  }

  /** Whether nothing is left though this pacer has not used it up: another program shares the key. */
  #isTakenByOthers({ remaining = 0 }: Allowance, nowMs: number): boolean {
    if (remaining - this.#inFlight > 0) return false
    return this.#windows.every((window) => window.usedAt(nowMs) < window.quota * 0.75)
  }

  #hold(nowMs: number, delayMs: number): void {
    this.#heldUntilMs = Math.max(this.#heldUntilMs, nowMs + delayMs)
  }
}

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
class SlidingWindow {
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
