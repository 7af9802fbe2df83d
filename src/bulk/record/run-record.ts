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

/** The operation and the owner of a run: a record belongs to one pair. */
export interface RunHeader {
  operation: string
  /** Tells accounts apart. */
  owner: string
  /** Authenticates the lines of a record; without it, every record of the owner counts. */
  seal?: ((text: string) => string) | undefined
}

/** The seal at the end of a line. */
const atEnd = /,"seal":"([0-9a-f]+)"\}$/

/**
 * A line of results with a seal: of the owner, of the body that the row had, and of what the line says. A seal that was
 * copied from another line, run or order fits nothing else.
 */
export function sealedLine(json: string, bodyHash: string | undefined, header: RunHeader): string {
  if (header.seal === undefined) return json
  return `${json.slice(0, -1)},"seal":"${sealOf(json, bodyHash, header.seal, header.owner)}"}`
}

/** Whether a line of results was sealed by this user of this machine. */
export function isSealed(line: string, bodyHash: string | undefined, header: RunHeader): boolean {
  if (header.seal === undefined) return true
  const found = atEnd.exec(line)
  if (found === null) return false
  return found[1] === sealOf(line.replace(atEnd, '}'), bodyHash, header.seal, header.owner)
}

function sealOf(json: string, bodyHash: string | undefined, seal: (text: string) => string, owner: string): string {
  return seal(JSON.stringify(['line', owner, bodyHash ?? '']) + json).slice(0, 32)
}

/** The seal of the header of a record that was accepted, with all that stands before it. */
export function acceptanceSeal(before: string, { seal, owner }: RunHeader): string | undefined {
  return seal?.(JSON.stringify(['accepted', owner, before]))
}
