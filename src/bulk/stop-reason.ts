import type { CallOptions } from '../client/index.js'
import { isOutcomeUnknown } from '../client/index.js'
import { isRateLimited, retryAfterOf } from '../client/internal.js'
import { ApiError, ConnectionError, ContractError, UsageError } from '../contract/index.js'

/** Why a run ended before its last row. */
export type StopReason =
  /** No usable answers: the budget for repetitions is spent, or the service cannot be reached. */
  | 'outage'
  /** The service asks for a longer wait than the run may take. */
  | 'wait'
  /** The time that the run was given is up. */
  | 'time'
  /** The key is refused. */
  | 'unauthorized'
  /** The proxy refuses tunnels to the service. */
  | 'proxy'
  | 'interrupted'
  /** The results cannot be written: nothing is sent without its record. */
  | 'record'

/** Whether a failure concerns only its row, so that the run continues. */
export function isRowFailure(failure: unknown): boolean {
  if (failure instanceof UsageError) return true
  if (!(failure instanceof ApiError) || isInFlight(failure)) return false
  return failure.status < 500 && failure.status !== 401 && failure.status !== 429
}

/** Whether another request with this key is still being executed. */
export function isInFlight(failure: unknown): boolean {
  return failure instanceof ApiError && failure.code === 'IDEMPOTENCY_CONFLICT'
}

/** Whether to find out the outcome of a row now: not in a run that is ending. */
export function isWorthSettling(failure: unknown, { drain, budget }: CallOptions): boolean {
  if (drain?.aborted || budget?.isSpent()) return false
  return isInFlight(failure) || isOutcomeUnknown(failure)
}

/**
 * Why a failure ends the whole run.
 *
 * @param maxWaitMs the longest wait that the run takes
 * @param leftMs what is left of its time
 * @throws the failure, if it is none that a service or a network causes
 */
export function stopReason(failure: unknown, maxWaitMs: number, leftMs: number): StopReason {
  if (failure instanceof ApiError && failure.status === 401) return 'unauthorized'
  if (failure instanceof ConnectionError && failure.reason === 'proxy-refused') return 'proxy'
  const isRefusedInFront = failure instanceof ConnectionError && failure.reason === 'not-the-service'
  if (isRefusedInFront && (failure.status === 401 || failure.status === 403)) return 'unauthorized'
  if (failure instanceof ConnectionError && failure.reason === 'aborted') return 'interrupted'
  const askedMs = retryAfterOf(failure) ?? 0
  if (isRateLimited(failure) || (askedMs > 0 && askedMs >= Math.min(maxWaitMs, leftMs))) return 'wait'
  // Held back by the pace of the run itself, for longer than it has.
  const isHeld = failure instanceof ConnectionError && failure.reason === 'held'
  if (isHeld || (leftMs <= 0 && failure instanceof ConnectionError)) return 'time'
  if (failure instanceof ApiError || failure instanceof ConnectionError || failure instanceof ContractError)
    return 'outage'
  throw failure
}
