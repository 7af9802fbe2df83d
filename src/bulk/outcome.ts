import { type CallOptions, isOutcomeUnknown } from '../client/index.js'
import { isRateLimited, retryAfterOf } from '../client/internal.js'
import { ApiError, ConnectionError, ContractError, type FieldError, UsageError } from '../contract/index.js'
import { type ExitCode, exitCodes } from '../shared/exit-codes.js'

/** The outcome of a row. */
export const outcomes = [
  'created',
  'updated',
  'cancelled',
  'replayed',
  'existing',
  'conflict',
  'failed',
  'unknown',
] as const
/** The outcome of a row. */
export type Outcome = (typeof outcomes)[number]

/** Why a row failed, as it stands in the results. */
export interface RowError {
  /** The error code, as a word to branch on. */
  code: string
  /** The failure, in one sentence. */
  message: string
  /** HTTP status, if the service answered. */
  status?: number | undefined
  /** The id of the request. */
  requestId?: string | undefined
  /** The fields that the service objected to. */
  fieldErrors?: readonly FieldError[] | undefined
  /** How to fix it. */
  hint?: string | undefined
}

/** One row's line in the results. */
export interface RowResult {
  /** The account of the row, in a run over several. */
  profile?: string | undefined
  /** The number of the row, from 1. */
  row: number
  /** The line of the input that it begins on. */
  line?: number | undefined
  /** The reference of the order. */
  clientOrderReference: string | null
  /** The key that it was sent with. */
  idempotencyKey: string | null
  /** The outcome of the row. */
  outcome: Outcome
  /** The delivery that it is about. */
  deliveryId: string | null
  /** The delivery's status. */
  status: string | null
  /** Why it failed. */
  error: RowError | null
}

/** Outcomes after which the row needs nothing more: what was asked for is there. */
export function isSuccess(outcome: Outcome): boolean {
  return outcome !== 'conflict' && outcome !== 'failed' && outcome !== 'unknown'
}

/** Rows by outcome. */
export type Counts = Record<Outcome, number>

export function noCounts(): Counts {
  return Object.fromEntries(outcomes.map((outcome) => [outcome, 0])) as Counts
}

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

/** The result of a run. */
export interface RunSummary {
  /** Rows by outcome, including those of earlier runs on the same results file. */
  counts: Counts
  /** Rows that an earlier run had settled. */
  earlier: number
  /** Rows that were read but not settled, which a resumed run settles. Rows that were not read are not counted. */
  left: number
  /** Why the run ended before its last row; `undefined` if it did not. */
  stopped: StopReason | undefined
  /** The failure behind it. */
  cause: unknown
  /** When the service accepts requests again, if it has said so. */
  resumeAt: Date | undefined
}

/** Exit codes of a stopped run; results that cannot be written count as an outage. */
const stoppedExitCodes: Readonly<Record<StopReason, ExitCode>> = {
  outage: exitCodes.noAnswer,
  wait: exitCodes.rateLimited,
  time: exitCodes.rateLimited,
  unauthorized: exitCodes.notAllowed,
  proxy: exitCodes.notAllowed,
  interrupted: exitCodes.interrupted,
  record: exitCodes.noAnswer,
}

/** The exit code of a run: 0 if every row succeeded, 9 if some did not. */
export function runExitCode({ counts, stopped }: Pick<RunSummary, 'counts' | 'stopped'>): ExitCode {
  if (stopped !== undefined) return stoppedExitCodes[stopped]
  return counts.failed + counts.conflict + counts.unknown > 0 ? exitCodes.otherOutcome : exitCodes.done
}
