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
  if (failure instanceof ApiError) {
    if (failure.isPermanent) return 'final'
    if (failure.status === 429 || failure.status === 503 || failure.code === 'IDEMPOTENCY_CONFLICT')
      return 'not-executed'
    return failure.status >= 500 ? 'maybe-executed' : 'final'
  }
  if (failure instanceof ContractError) return 'maybe-executed'
  if (failure instanceof ConnectionError) return connectionFailureKind(failure)
  return 'final'
}

function connectionFailureKind({ reason, status }: ConnectionError): FailureKind {
  switch (reason) {
    case 'refused':
    case 'name-not-found':
    case 'unreachable':
      return 'not-executed'
    case 'timeout':
    case 'reset':
    case 'truncated':
    case 'other':
      return 'maybe-executed'
    case 'not-the-service':
      if (status === 429 || status === 503) return 'not-executed'
      return status !== undefined && status >= 500 ? 'maybe-executed' : 'final'
    default:
      return 'final'
  }
}

/** Whether a failed write may have been executed all the same, so that its outcome has to be looked up. */
export function isOutcomeUnknown(failure: unknown): boolean {
  if (failureKind(failure) === 'maybe-executed') return true
  return (
    failure instanceof ConnectionError &&
    ['aborted', 'too-large', 'redirect', 'not-the-service'].includes(failure.reason)
  )
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
  return (failure instanceof ApiError || failure instanceof ConnectionError) && failure.status === 429
}

/** The wait that the answer itself asked for, in milliseconds. */
export function retryAfterOf(failure: unknown): number | undefined {
  return failure instanceof ApiError || failure instanceof ConnectionError ? failure.retryAfterMs : undefined
}
