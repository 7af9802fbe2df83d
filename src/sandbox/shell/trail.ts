import { headers } from '../../contract/index.js'
import { Refusal } from '../core/refusal.js'
import type { Account, Switches } from '../model.js'
import type { Engine } from './engine.js'
import { type Answer, jsonAnswer } from './exchange.js'
import { type Allowance, type Quota, type RateLimiter, rateLimitHeaders } from './rate-limiter.js'

/** What every answer to a request carries, whatever becomes of it. */
export interface Trail {
  requestId: string
  allowance: Allowance
}

/** Stricter than for callers with a key: 2 a second, 5 at once, for each address. */
const healthQuota: Quota = { perSecond: 2, burst: 5 }

/** Nobody is refused by it; the headers still have to say something. */
const UNLIMITED_PER_SECOND = 1_000_000

/** The quota of an account: its own, unless the sandbox was started with another for ordinary accounts. */
export function quotaOf(account: Account, rateLimit: number | 'off' | undefined): Quota {
  if (rateLimit === 'off') return { perSecond: UNLIMITED_PER_SECOND, burst: UNLIMITED_PER_SECOND }
  return { perSecond: account.maxRequestsPerSecond, burst: account.maxRequestsPerSecond }
}

/** Counts a request against its caller's quota. */
export function takeAllowance(
  limiter: RateLimiter,
  caller: { kind: 'account'; account: Account } | { kind: 'health' | 'stranger'; address: string | undefined },
  quota: Quota,
): Allowance {
  if (caller.kind === 'account') return limiter.take(`key ${caller.account.apiKey}`, quota)
  const who = `${caller.kind} ${caller.address ?? 'local'}`
  return limiter.take(who, caller.kind === 'health' ? healthQuota : quota)
}

/** The answer with the headers of the contract. */
export function withTrail(engine: Engine, trail: Trail, switches: Switches, answer: Answer): Answer {
  const limit = rateLimitHeaders(trail.allowance, switches.rateLimitForm, engine.realNowMs())
  return { ...answer, headers: { ...answer.headers, [headers.requestId]: trail.requestId, ...limit } }
}

/** The contract's error body. 429 and 503 say how long to wait. */
export function errorAnswer(refusal: Refusal, requestId: string, allowance?: Allowance): Answer {
  const { code, message, details, status } = refusal
  const error = { code, message, requestId, ...(details === undefined ? {} : { details }) }
  const waits = status === 429 || status === 503
  const retryAfterSeconds = refusal.retryAfterSeconds ?? Math.max(1, allowance?.retryAfterSeconds ?? 1)
  return jsonAnswer(
    status,
    { error },
    {
      ...(waits ? { [headers.retryAfter]: String(retryAfterSeconds) } : {}),
      ...(status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}),
    },
  )
}

/** What went wrong as a refusal: an error that nobody foresaw is a 500, and is reported. */
export function refusalFor(engine: Engine, error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (isBusy(error)) {
    return new Refusal('SERVICE_UNAVAILABLE', 'Another process is using the sandbox file; try again.', {
      retryAfterSeconds: 1,
    })
  }
  engine.report(error)
  return new Refusal('INTERNAL_ERROR', 'The sandbox has failed; this is a mistake of its own.')
}

const SQLITE_BUSY = 5

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY
}
