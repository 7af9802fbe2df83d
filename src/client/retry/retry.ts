import { ApiError, ConnectionError, ContractError } from '../../contract/index.js'

/**
 * Whether a request can be sent twice: `safe` changes nothing; `idempotent` is recognised by its idempotency key;
 * `unsafe` might be executed twice. The words are those of RFC 9110, section 9.2.
 */
export type RetrySafety = 'safe' | 'idempotent' | 'unsafe'

/** When and how often a failed attempt is repeated. */
export interface RetryLimits {
  /** Repetitions after the first attempt; 429 is not counted, the deadline ends it. Default 6. */
  maxRetries: number
  /** The backoff's first ceiling in milliseconds; each repetition doubles it. Default 250. */
  baseDelayMs: number
  /** The highest ceiling in milliseconds. Default 20,000. */
  maxDelayMs: number
}

/** Six retries, with waits that grow from a quarter of a second to 20 seconds at most. */
export const defaultRetryLimits: RetryLimits = { maxRetries: 6, baseDelayMs: 250, maxDelayMs: 20_000 }

/** How certain it is that a failed request was not executed. */
type FailureKind =
  /** Refused or never sent: nothing happened, and a repetition may succeed. */
  | 'not-executed'
  /** The answer was lost: it may have been executed. */
  | 'maybe-executed'
  /** Answered for good: repeating changes nothing. */
  | 'final'

/** Sorts a failure by what is known of its request. */
export function failureKind(failure: unknown): FailureKind {
  if (failure instanceof ApiError) return refusalKind(failure)
  if (failure instanceof ContractError) return 'maybe-executed'
  if (failure instanceof ConnectionError) return connectionFailureKind(failure)
  return 'final'
}

/** Only the service's own word says that a 503 executed nothing: gateways have error bodies of the same form. */
function refusalKind({ isPermanent, status, code }: ApiError): FailureKind {
  if (isPermanent) return 'final'
  if (status === 429 || code === 'IDEMPOTENCY_CONFLICT') return 'not-executed'
  if (status === 503 && code === 'SERVICE_UNAVAILABLE') return 'not-executed'
  return status >= 500 || answersOfLostRequests.has(status) ? 'maybe-executed' : 'final'
}

function connectionFailureKind({ reason, status }: ConnectionError): FailureKind {
  switch (reason) {
    case 'refused':
    case 'name-not-found':
    case 'unreachable':
    case 'proxy':
      return 'not-executed'
    case 'timeout':
    case 'reset':
    case 'truncated':
    case 'other':
      return 'maybe-executed'
    case 'not-the-service':
      if (status === 429) return 'not-executed'
      return status !== undefined && (status >= 500 || answersOfLostRequests.has(status)) ? 'maybe-executed' : 'final'
    default:
      return 'final'
  }
}

/** Below 500: a gateway that ran out of time, and one whose client did. The service may have executed the request. */
const answersOfLostRequests: ReadonlySet<number> = new Set([408, 499])

/** Statuses of servers in front that have not passed the request on: too large, too long, no length, an expectation. */
const refusedInFront: ReadonlySet<number> = new Set([400, 411, 413, 414, 417, 426, 431, 494, 495, 496, 497, 505, 511])

/**
 * Whether something in front of the service answered for it, and the service may have executed the request. Who asks for
 * credentials is not asked again.
 */
export function isAnsweredInFront(failure: unknown): boolean {
  // After a redirect nothing more is sent: whoever answered with it may not be meant to see another request.
  if (!(failure instanceof ConnectionError) || failure.reason !== 'not-the-service') return false
  return isOutcomeUnknown(failure) && ![401, 407, 429].includes(failure.status ?? 0)
}

/** Whether a failed write may have been executed all the same, so that its outcome has to be looked up. */
export function isOutcomeUnknown(failure: unknown): boolean {
  const kind = failureKind(failure)
  if (kind !== 'final') return kind === 'maybe-executed'
  if (!(failure instanceof ConnectionError)) return false
  if (failure.reason === 'not-the-service') return !refusedInFront.has(failure.status ?? 0)
  return ['aborted', 'too-large', 'redirect'].includes(failure.reason)
}

/**
 * How long to wait before the attempt is repeated, in milliseconds; `undefined` if it must not be. `Retry-After`
 * is obeyed exactly and outranks the backoff, which is full jitter: evenly spread between 0 and a ceiling that
 * doubles.
 *
 * @param attempt 1 for the first
 * @param counted attempts so far that count against `maxRetries`: those not answered by 429
 * @param random a number in [0, 1)
 */
export function retryDelayMs(
  attempt: number,
  failure: unknown,
  policy: {
    /** Whether the request may be sent twice. */
    retrySafety: RetrySafety
    /** Attempts so far that count against `maxRetries`. */
    counted: number
    /** A number in [0, 1). */
    random: number
    /** Other limits than `defaultRetryLimits`. */
    limits?: Partial<RetryLimits>
  },
): number | undefined {
  const limits = { ...defaultRetryLimits, ...policy.limits }
  const kind = failureKind(failure)
  if (kind === 'final' || (kind === 'maybe-executed' && policy.retrySafety === 'unsafe')) return undefined
  // A read that is answered with another type once is answered so again.
  if (failure instanceof ContractError && policy.retrySafety === 'safe') return undefined
  if (!isRateLimited(failure) && policy.counted > limits.maxRetries) return undefined
  const asked = retryAfterOf(failure)
  if (asked !== undefined) return asked
  const ceilingMs = Math.min(limits.maxDelayMs, limits.baseDelayMs * 2 ** Math.min(attempt - 1, 30))
  return Math.round(policy.random * ceilingMs)
}

/** Whether the service said "too many requests". */
export function isRateLimited(failure: unknown): boolean {
  if (failure instanceof ConnectionError && failure.reason === 'proxy') return false
  return (failure instanceof ApiError || failure instanceof ConnectionError) && failure.status === 429
}

/** The wait that the answer itself asked for, in milliseconds. */
export function retryAfterOf(failure: unknown): number | undefined {
  return failure instanceof ApiError || failure instanceof ConnectionError ? failure.retryAfterMs : undefined
}

/** A limit on the retries of a run, so that it does not flood a service that is down. */
export interface RetryBudget {
  /** Counts a first attempt: it earns a share of a repetition. */
  earn(): void
  /** Whether one more repetition is allowed; a 429 is free, since it is paced and not a fault. */
  grantRetry(failure: unknown): boolean
  /** Whether a repetition has been denied since the start. */
  isSpent(): boolean
}

/**
 * A budget of `reserve` repetitions, to which each first attempt adds `share` of one. 20 and a tenth keep a run of
 * thousands under 1.1 requests an order, and let a short run live through a hiccup.
 */
export function createRetryBudget({
  reserve = 20,
  share = 0.1,
}: {
  /** Repetitions that may be made at once. */
  reserve?: number
  /** The retries that each first attempt adds to the budget. */
  share?: number
} = {}): RetryBudget {
  let balance = reserve
  let isSpent = false
  return {
    earn() {
      balance = Math.min(balance + share, Math.max(reserve, 200))
    },
    grantRetry(failure) {
      if (isRateLimited(failure)) return true
      if (balance < 1) isSpent = true
      else balance -= 1
      return !isSpent
    },
    isSpent: () => isSpent,
  }
}

/**
 * Whether a failure is one that passes without anybody changing a setting: the service, a proxy or the network is away.
 * What lasts for hours waits for the end of it.
 */
export function isOutage(failure: unknown): boolean {
  if (failureKind(failure) !== 'final') return true
  if (failure instanceof ApiError) return failure.status >= 500
  return failure instanceof ConnectionError && standsBetween.has(failure.reason)
}

/** What something in front of the service answers while it is set up, or in the way: a login page, a default site. */
const standsBetween: ReadonlySet<string> = new Set(['tls', 'held', 'redirect', 'not-the-service'])
