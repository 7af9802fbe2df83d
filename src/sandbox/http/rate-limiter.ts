import { headers } from '../../contract/index.js'

/** At most `requests` in any stretch of `windowMs`. */
export interface Quota {
  requests: number
  windowMs: number
}

/** A caller's remaining quota after a request. */
export interface Allowance {
  allowed: boolean
  quota: Quota
  remaining: number
  /** Until the whole quota is available again. */
  resetMs: number
  /** Until the next request is allowed; 0 if one is. */
  retryAfterMs: number
}

/** Callers are forgotten when there are this many. */
const MAX_CALLERS = 10_000

/** The quota reported for callers without a limit, whose requests are not counted. */
const unlimited: Quota = { requests: 1_000_000, windowMs: 1_000 }

export const unlimitedAllowance: Allowance = {
  allowed: true,
  quota: unlimited,
  remaining: unlimited.requests - 1,
  resetMs: unlimited.windowMs,
  retryAfterMs: 0,
}

/** Counts requests by caller in sliding windows of real time; a refused request does not count. */
export class RateLimiter {
  private readonly callers = new Map<string, AcceptedTimes>()

  /** `monotonicMs` must never go back. */
  constructor(private readonly monotonicMs: () => number = () => performance.now()) {}

  take(caller: string, quota: Quota): Allowance {
    const nowMs = this.monotonicMs()
    const accepted = this.acceptedBy(caller, quota)
    accepted.forgetUntil(nowMs - quota.windowMs)
    const allowed = accepted.count < quota.requests
    if (allowed) accepted.add(nowMs)
    return {
      allowed,
      quota,
      remaining: quota.requests - accepted.count,
      // The difference first: it is exact where the sum of large times is not, and headers round up.
      resetMs: quota.windowMs - (nowMs - accepted.newestMs),
      retryAfterMs: allowed ? 0 : quota.windowMs - (nowMs - accepted.oldestMs),
    }
  }

  private acceptedBy(caller: string, { requests }: Quota): AcceptedTimes {
    const known = this.callers.get(caller)
    if (known?.capacity === requests) return known
    if (this.callers.size >= MAX_CALLERS) this.callers.clear()
    const accepted = new AcceptedTimes(requests)
    this.callers.set(caller, accepted)
    return accepted
  }
}

/** A ring of the times at which requests were accepted, in order; it never holds more than a window may. */
class AcceptedTimes {
  count = 0
  private readonly times: Float64Array
  private first = 0

  constructor(readonly capacity: number) {
    this.times = new Float64Array(capacity)
  }

  get oldestMs(): number {
    return this.times[this.first] ?? 0
  }

  get newestMs(): number {
    return this.times[(this.first + this.count - 1) % this.capacity] ?? 0
  }

  add(atMs: number): void {
    this.times[(this.first + this.count) % this.capacity] = atMs
    this.count++
  }

  forgetUntil(atMs: number): void {
    while (this.count > 0 && this.oldestMs <= atMs) {
      this.first = (this.first + 1) % this.capacity
      this.count--
    }
  }
}

/** The contract's headers that tell a caller what is left. `nowMs` is real time. */
export function rateLimitHeaders(
  allowance: Allowance,
  form: 'token' | 'quoted',
  nowMs: number,
): Record<string, string> {
  const name = form === 'quoted' ? '"default"' : 'default'
  const { quota, remaining, resetMs } = allowance
  return {
    [headers.rateLimit]: `${name};r=${remaining};t=${Math.ceil(resetMs / 1_000)}`,
    [headers.rateLimitPolicy]: `${name};q=${quota.requests};w=${quota.windowMs / 1_000}`,
    [headers.legacyLimit]: String(quota.requests),
    [headers.legacyRemaining]: String(remaining),
    [headers.legacyReset]: String(Math.ceil((nowMs + resetMs) / 1_000)),
  }
}
