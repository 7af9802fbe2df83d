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
export type Outcome = (typeof outcomes)[number]

/** Why a row failed, as it stands in the results. */
export interface RowError {
  code: string
  message: string
  /** HTTP status, if the service answered. */
  status?: number | undefined
  requestId?: string | undefined
  fieldErrors?: readonly FieldError[] | undefined
  hint?: string | undefined
}

/** One row's line in the results. */
export interface RowResult {
  row: number
  clientOrderReference: string | null
  idempotencyKey: string | null
  outcome: Outcome
  deliveryId: string | null
  /** The delivery's status. */
  status: string | null
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
