import { headers } from '../../contract/index.js'

/** A quota: `burst` requests at once, then `perSecond`. */
export interface Quota {
  perSecond: number
  burst: number
}

/** What a caller has left after a request. */
export interface Allowance {
  allowed: boolean
  quota: Quota
  remaining: number
  /** Until the whole quota is there again. */
  resetSeconds: number
  /** Until the next request is allowed; 0 where one is. */
  retryAfterSeconds: number
}

/** Callers are forgotten once their quota is whole again, and when there are this many. */
const MAX_CALLERS = 10_000

/** Token buckets by caller, in real time. */
export class RateLimiter {
  private readonly buckets = new Map<string, { tokens: number; atMs: number }>()

  /** `monotonicMs` must never go back. */
  constructor(private readonly monotonicMs: () => number = () => performance.now()) {}

  take(caller: string, quota: Quota): Allowance {
    const nowMs = this.monotonicMs()
    const known = this.buckets.get(caller)
    const filled =
      known === undefined
        ? quota.burst
        : Math.min(quota.burst, known.tokens + ((nowMs - known.atMs) * quota.perSecond) / 1_000)
    const allowed = filled >= 1
    const tokens = allowed ? filled - 1 : filled
    if (known === undefined && this.buckets.size >= MAX_CALLERS) this.buckets.clear()
    this.buckets.set(caller, { tokens, atMs: nowMs })
    return {
      allowed,
      quota,
      remaining: Math.floor(tokens),
      resetSeconds: Math.ceil((quota.burst - tokens) / quota.perSecond),
      retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil((1 - filled) / quota.perSecond)),
    }
  }
}

/** The headers of the contract that tell a caller what is left. `nowMs` is real time. */
export function rateLimitHeaders(
  allowance: Allowance,
  form: 'token' | 'quoted',
  nowMs: number,
): Record<string, string> {
  const name = form === 'quoted' ? '"default"' : 'default'
  const { quota, remaining, resetSeconds } = allowance
  const windowSeconds = Math.ceil(quota.burst / quota.perSecond)
  return {
    [headers.rateLimit]: `${name};r=${remaining};t=${resetSeconds}`,
    [headers.rateLimitPolicy]: `${name};q=${quota.burst};w=${windowSeconds}`,
    [headers.legacyLimit]: String(quota.burst),
    [headers.legacyRemaining]: String(remaining),
    [headers.legacyReset]: String(Math.ceil(nowMs / 1_000) + resetSeconds),
  }
}
