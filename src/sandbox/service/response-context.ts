import { headers } from '../../contract/index.js'
import { isBusy } from '../../shared/sqlite.js'
import { accounts } from '../core/accounts.js'
import { Refusal } from '../core/refusal.js'
import type { Engine } from '../engine/engine.js'
import { type Answer, jsonAnswer } from '../http/exchange.js'
import {
  type Allowance,
  type Quota,
  type RateLimiter,
  rateLimitHeaders,
  unlimitedAllowance,
} from '../http/rate-limiter.js'
import type { Account } from '../model.js'
import { DamagedFileError, isFileFailure } from '../store/database.js'
import type { Switches } from '../switches.js'

/** Data that every response to a request carries, also an error. */
export interface ResponseContext {
  requestId: string
  allowance: Allowance
}

/** Of `GET /health` for each address: stricter than for callers with a key. */
const healthQuota: Quota = { requests: 5, windowMs: 3_000 }

/** Counts a request against its account's quota. */
export function allowanceOf(limiter: RateLimiter, account: Account, rateLimit: number | 'off' | undefined): Allowance {
  if (rateLimit === 'off') return unlimitedAllowance
  return limiter.take(`key ${account.apiKey}`, perSecond(account.maxRequestsPerSecond))
}

/** Counts a request without a valid key by its address, with the quota of the default account. */
export function anonymousAllowance(
  limiter: RateLimiter,
  address: string | undefined,
  rateLimit: number | 'off' | undefined,
): Allowance {
  if (rateLimit === 'off') return unlimitedAllowance
  return limiter.take(`anonymous ${address ?? 'local'}`, perSecond(accounts[0].maxRequestsPerSecond))
}

function perSecond(requests: number): Quota {
  return { requests, windowMs: 1_000 }
}

/** Counts a request for the service's health by its address. */
export function healthAllowance(
  limiter: RateLimiter,
  address: string | undefined,
  rateLimit: number | 'off' | undefined,
): Allowance {
  if (rateLimit === 'off') return unlimitedAllowance
  return limiter.take(`health ${address ?? 'local'}`, healthQuota)
}

/** The answer with the headers of the contract. */
export function withContext(engine: Engine, context: ResponseContext, switches: Switches, answer: Answer): Answer {
  const limit = rateLimitHeaders(context.allowance, switches.rateLimitForm, engine.realNowMs())
  const instance = engine.store.settings.get<string>('instance')
  return {
    ...answer,
    headers: {
      ...answer.headers,
      [headers.requestId]: context.requestId,
      ...(instance === undefined ? {} : { [headers.sandboxInstance]: instance }),
      ...limit,
    },
  }
}

/** The contract's error body. 429 and 503 say how long to wait. */
export function errorAnswer(refusal: Refusal, requestId: string, allowance?: Allowance): Answer {
  const { code, message, details, status } = refusal
  const error = { code, message, requestId, ...(details === undefined ? {} : { details }) }
  const waits = status === 429 || status === 503
  const retryAfterSeconds = refusal.retryAfterSeconds ?? secondsToWait(allowance)
  return jsonAnswer(
    status,
    { error },
    {
      ...(waits ? { [headers.retryAfter]: String(retryAfterSeconds) } : {}),
      ...(refusal.isPermanent ? { [headers.shouldRetry]: 'false' } : {}),
      ...(status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}),
    },
  )
}

/** `Retry-After` of a refused request, in whole seconds. */
export function secondsToWait(allowance: Allowance | undefined): number {
  return Math.max(1, Math.ceil((allowance?.retryAfterMs ?? 0) / 1_000))
}

/** Turns an error into a refusal: an unexpected error becomes a 500, and is reported. */
export function refusalFor(engine: Engine, error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (isBusy(error)) {
    return new Refusal('SERVICE_UNAVAILABLE', 'Another process is using the sandbox file; try again.', {
      retryAfterSeconds: 1,
    })
  }
  if (error instanceof DamagedFileError)
    return new Refusal('INTERNAL_ERROR', error.message, { details: { hint: error.hint }, isPermanent: true })
  if (isFileFailure(error))
    return new Refusal('SERVICE_UNAVAILABLE', `The sandbox cannot use its files: ${error.message}.`)
  engine.report(error)
  return new Refusal('INTERNAL_ERROR', 'The sandbox failed: this is a bug in dlv.')
}
