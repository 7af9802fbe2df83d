import type { Clock } from '../clock.js'
import { parseHttpDate } from '../http-date.js'
import type { HeaderReader } from '../transport/transport.js'
import { type Allowance, longestPaceMs, type QuotaState, type RatePolicy, readAllowance } from './rate-limit-header.js'
import { SlidingWindow } from './sliding-window.js'

/** How a request ended. */
export interface Answer {
  /** The HTTP status. */
  status: number
  /** The headers, which tell how many requests are left. */
  headers: HeaderReader
  /** How long the service asked to wait, in milliseconds. */
  retryAfterMs?: number | undefined
}

/** A share of the window by which a slot is kept longer while its answer is awaited, at first; doubled by each 429. */
const firstMarginShare = 0.02
/** A share of the window that stays as a margin in any case: the next request may be quicker than any before. */
const slackShare = 0.003
/** Requests are spread over this share of the window instead of being sent in a burst. */
const spreadShare = 0.95
/** Answers after which the quickest is taken for what the way itself takes. */
const enoughAnswers = 20
/** Above this rate a timer is too coarse to spread, and counting each request costs more than it saves. */
const uncountedPerSecond = 5_000

/**
 * When requests under one key may go, as far as their answers have told. It follows `RateLimit-Policy`, `RateLimit` and
 * `Retry-After`; where these are absent, a rate that refusals show.
 */
export class RateSchedule {
  readonly #startedMs: number
  #windows: SlidingWindow[] = []
  /** What was followed last: most answers of a run say the same. */
  #followed: readonly RatePolicy[] | undefined
  #isLearned = false
  #heldUntilMs = 0
  #spacedAtMs = 0
  /** Requests that the scarcest quota still allows, and when it is renewed. */
  #quota: { policy: RatePolicy; left: number; resetAtMs: number } | undefined
  #marginShare = firstMarginShare
  #inFlight = 0
  #sends = 0
  #answers = 0
  #shortestMs = Number.POSITIVE_INFINITY
  #meanMs: number | undefined
  /** When the rate was last changed that was found out by refusals, with nothing said of the allowance. */
  #foundOutMs: number | undefined
  /** When each request had been counted at the latest that was sent to learn the rate. */
  readonly #probesAtMs: number[] = []

  /** @param requestsPerSecond the rate to begin with; without it, one request is sent to learn from */
  constructor(
    private readonly clock: Clock,
    requestsPerSecond?: number,
  ) {
    this.#startedMs = clock.monotonicMs()
    if (requestsPerSecond !== undefined) this.#followRate(requestsPerSecond)
  }

  /** When the next request may go; in the past if it may go at once. */
  nextAtMs(): number {
    let atMs = Math.max(this.#heldUntilMs, this.#spacedAtMs, this.#quotaAtMs())
    for (const window of this.#windows) atMs = Math.max(atMs, window.nextFreeAtMs())
    return atMs
  }

  /** Whether answers that are awaited tell whether there is anything left. */
  isAwaited(): boolean {
    return this.#inFlight > 0 && (!this.#isLearned || this.#isQuotaUsed())
  }

  /** Counts a request that goes now. The result counts its end: with an answer, or without any. */
  start(nowMs: number): (answer: Answer | undefined) => void {
    this.#inFlight++
    this.#sends++
    if (this.#quota !== undefined && nowMs >= this.#quota.resetAtMs) this.#quota = undefined
    if (this.#quota !== undefined) this.#quota.left--
    this.#space(nowMs)
    const isProbe = !this.#isLearned
    const slots = this.#windows.map((window) => ({ window, slot: this.#take(window, nowMs) }))
    return (answer) => {
      this.#inFlight--
      const endedMs = this.clock.monotonicMs()
      const lateMs = this.#measure(endedMs - nowMs, answer !== undefined)
      for (const { window, slot } of slots) window.free(slot, nowMs + window.windowMs * (1 + slackShare) + lateMs)
      if (isProbe) this.#probesAtMs.push(endedMs)
      if (answer === undefined) this.#isLearned = true
      else this.#learn(answer, endedMs)
    }
  }

  /** Milliseconds for which the service has asked everyone to wait. */
  heldForMs(): number {
    const quotaAtMs = this.#inFlight > 0 ? 0 : this.#quotaAtMs()
    return Math.max(0, Math.max(this.#heldUntilMs, quotaAtMs) - this.clock.monotonicMs())
  }

  /** The quota that is used up; otherwise, if requests wait, the policy that holds them back longest. */
  limitedBy(isWaiting: boolean): RatePolicy | undefined {
    if (this.#quota !== undefined && this.#isQuotaUsed()) return this.#quota.policy
    const [first, ...others] = isWaiting ? this.#windows : []
    return others.reduce((least, each) => (each.nextFreeAtMs() > (least?.nextFreeAtMs() ?? 0) ? each : least), first)
      ?.policy
  }

  /** Requests a second that the service allows, as far as it has said. */
  allowedPerSecond(): number | undefined {
    const rates = this.#windows.map(({ quota, windowMs }) => (quota / windowMs) * 1_000)
    return rates.length === 0 ? undefined : Math.min(...rates)
  }

  /** How long requests take on average, recent ones above all. */
  get meanLatencyMs(): number | undefined {
    return this.#meanMs
  }

  #isQuotaUsed(): boolean {
    return this.#quota !== undefined && this.#quota.left <= 0
  }

  /** When the quota allows a request again. */
  #quotaAtMs(): number {
    return this.#quota !== undefined && this.#quota.left <= 0 ? this.#quota.resetAtMs : 0
  }

  /** Keeps the next request apart from this one. */
  #space(nowMs: number): void {
    let gapMs = 0
    for (const { quota, windowMs } of this.#windows) gapMs = Math.max(gapMs, (windowMs / quota) * spreadShare)
    if (gapMs >= 1) this.#spacedAtMs = Math.max(this.#spacedAtMs, nowMs - gapMs / 2) + gapMs
  }

  #take(window: SlidingWindow, atMs: number) {
    return window.take(atMs, window.windowMs * this.#marginShare)
  }

  /** By how much later than the quickest a request may have been counted; with few answers seen, nobody knows. */
  #measure(durationMs: number, isAnswered: boolean): number {
    if (isAnswered) {
      this.#answers++
      this.#shortestMs = Math.min(this.#shortestMs, durationMs)
      this.#meanMs = this.#meanMs === undefined ? durationMs : this.#meanMs + (durationMs - this.#meanMs) / 16
    }
    return this.#answers < enoughAnswers ? durationMs : durationMs - this.#shortestMs
  }

  #learn({ status, headers, retryAfterMs }: Answer, nowMs: number): void {
    const allowance = readAllowance(headers, (each) => parseHttpDate(each.get('date') ?? '') ?? this.clock.nowMs())
    this.#isLearned = true
    if (allowance.policies.length > 0) {
      this.#foundOutMs = undefined
      this.#follow(allowance.policies)
    } else if (status !== 429) this.#grow(nowMs)
    if (allowance.quota !== undefined) this.#keep(allowance.quota, nowMs)
    if (retryAfterMs !== undefined) this.#hold(nowMs, retryAfterMs)
    if (status === 429) this.#slowDown(nowMs, allowance, retryAfterMs)
    else if (allowance.remaining !== undefined && this.#isTakenByOthers(allowance, nowMs))
      this.#hold(nowMs, allowance.resetMs ?? this.#windows[0]?.windowMs ?? 1_000)
  }

  #followRate(perSecond: number): void {
    this.#follow([{ quota: Math.max(1, Math.floor(perSecond)), windowMs: 1_000 }])
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
      return same ?? kin?.resized(policy, nowMs) ?? this.#firstWindow(policy)
    })
    this.#isLearned = true
  }

  /** A first window, in which the requests count that were sent to learn of it. */
  #firstWindow(policy: RatePolicy): SlidingWindow {
    const window = new SlidingWindow(policy)
    for (const atMs of this.#probesAtMs) this.#take(window, atMs)
    return window
  }

  /** Follows a quota; those in flight may not be counted yet. */
  #keep({ policy, remaining, resetMs = 1_000 }: QuotaState, nowMs: number): void {
    this.#quota = { policy, left: remaining - this.#inFlight, resetAtMs: nowMs + resetMs }
  }

  /** A refusal despite pacing: holds all requests, and is more careful from now on. */
  #slowDown(nowMs: number, allowance: Allowance, retryAfterMs: number | undefined): void {
    if (retryAfterMs === undefined) this.#hold(nowMs, allowance.resetMs ?? 1_000)
    this.#marginShare = Math.min(1, this.#marginShare * 2)
    const isAnnounced = this.#windows.length > 0 && this.#foundOutMs === undefined
    if (allowance.policies.length > 0 || isAnnounced) return
    const perSecond = this.#windows[0]?.quota ?? this.#sends / Math.max(0.1, (nowMs - this.#startedMs) / 1_000)
    this.#followRate(perSecond * 0.8)
    this.#foundOutMs = nowMs
  }

  /** A rate that was found out by refusals grows by a twentieth a second until the next one. */
  #grow(nowMs: number): void {
    const [window] = this.#windows
    if (this.#foundOutMs === undefined || window === undefined || nowMs - this.#foundOutMs < 1_000) return
    this.#followRate(Math.ceil(window.quota * 1.05))
    this.#foundOutMs = nowMs
  }

  /** Whether nothing is left though this program has not used it up: another one shares the key. */
  #isTakenByOthers({ remaining = 0 }: Allowance, nowMs: number): boolean {
    if (remaining - this.#inFlight > 0) return false
    return this.#windows.every((window) => window.usedAt(nowMs) < window.quota * 0.75)
  }

  #hold(nowMs: number, delayMs: number): void {
    this.#heldUntilMs = Math.max(this.#heldUntilMs, nowMs + delayMs)
  }
}
