import type { OrderHistory } from '../../client/index.js'
import type { Outcome, RowResult } from '../outcome.js'

/** The record of a run: which rows it claimed before it sent them, and their results. An interrupted run resumes from it. */
export interface RunRecord {
  /** Rows that may be claimed before there is room to send them. */
  readonly ahead: number
  /**
   * Claims rows that are about to be sent; resolves once the claims cannot be lost.
   *
   * @param serviceMs the service's time in milliseconds since the epoch, if it is known
   * @returns a claim for each row, in their order
   */
  claim(rows: readonly RowIdentity[], serviceMs: number | undefined): Promise<readonly Claim[]>
  /** Records the result of a row; resolves once it is written. */
  complete(result: RowResult): Promise<void>
  /** Writes the results so far without waiting for more. */
  flush(): void
  /** Records that the run has come to its end. */
  finish(): Promise<void>
  /** Why nothing can be written any more. */
  failure(): unknown
  close(): Promise<void>
}

/** The identity of a row that is about to be sent. */
export interface RowIdentity {
  row: number
  clientOrderReference: string | null
  idempotencyKey: string | null
  /** The hash of its body and, if there is one, of the delivery that it is about: a changed row has another one. */
  bodyHash: string
}

export type Claim =
  | OwnClaim
  /** The row has its outcome. */
  | { kind: 'settled'; outcome: Outcome }
  /** Another process has claimed the row. */
  | { kind: 'held' }

/** A row that is the caller's to send. */
export interface OwnClaim extends OrderHistory {
  kind: 'own'
  /** The key that it may have been sent with. */
  idempotencyKey: string | undefined
  /** Another row with the same reference and another body, that is or may be a delivery. */
  clashingRow(): number | undefined
}

/** The operation and the profile of a run: a record belongs to one pair. */
export interface RunHeader {
  operation: string
  /** Tells accounts apart. */
  profile: string
  /** What authenticates the lines of a record; without it, every record of the profile counts. */
  seal?: ((text: string) => string) | undefined
}
