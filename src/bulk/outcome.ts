import type { FieldError } from '../contract/index.js'

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
