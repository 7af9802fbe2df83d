import { type Outcome, outcomes } from '../outcome.js'

/** What a record says of a row. */
export interface RowState {
  /** Absent if the row was begun and its outcome is not on record. */
  outcome: Outcome | undefined
  /** Whether the row was about to be sent, and no answer that settles it is on record. */
  wasSent: boolean
  /** When that was first so, by the service's clock, in milliseconds since the epoch; absent if it is not known. */
  sentAtMs: number | undefined
  /** The key that it was about to be sent with, if it was. */
  idempotencyKey: string | undefined
}

/** What stands for a row that was never about to be sent, and for one of which it is not known when. */
const never = 0
const unknownTime = -1

/**
 * The state of each row by its number, in 17 bytes a row, so that the record of a million rows fits into a small
 * machine. A row whose fingerprint differs from the recorded one is another row under the same number.
 */
export class RowStates {
  #fingerprints = new Float64Array(1_024)
  #sentAt = new Float64Array(1_024)
  #outcomes = new Uint8Array(1_024)
  /** Keys of the rows that are not settled: few, because rows are sent in their order. */
  readonly #keys = new Map<number, string>()

  /** Notes that a row is about to be sent; from the second time on its outcome is open again, and the first time counts. */
  intend(row: number, identity: string, sentAtMs: number | undefined, idempotencyKey: string | null): void {
    this.#grow(row)
    if (idempotencyKey !== null) this.#keys.set(row, idempotencyKey)
    const print = fingerprint(identity)
    if (this.#fingerprints[row] !== print || this.#sentAt[row] === never) this.#sentAt[row] = sentAtMs ?? unknownTime
    this.#fingerprints[row] = print
    this.#outcomes[row] = 0
  }

  conclude(row: number, outcome: Outcome): void {
    this.#grow(row)
    this.#outcomes[row] = outcomes.indexOf(outcome) + 1
    if (outcome !== 'unknown') this.#keys.delete(row)
  }

  /** The recorded state of a row; `undefined` if the record knows nothing of it. */
  stateOf(row: number, identity: string): RowState | undefined {
    if (row >= this.#outcomes.length || this.#fingerprints[row] !== fingerprint(identity)) return undefined
    const outcome = outcomes[(this.#outcomes[row] ?? 0) - 1]
    const sentAt = this.#sentAt[row] ?? never
    const wasSent = sentAt !== never && (outcome === undefined || outcome === 'unknown')
    return {
      outcome,
      wasSent,
      sentAtMs: sentAt > never ? sentAt : undefined,
      idempotencyKey: wasSent ? this.#keys.get(row) : undefined,
    }
  }

  #grow(row: number): void {
    if (row < this.#outcomes.length) return
    const size = Math.max(row + 1, this.#outcomes.length * 2)
    const fingerprints = new Float64Array(size)
    fingerprints.set(this.#fingerprints)
    this.#fingerprints = fingerprints
    const sentAt = new Float64Array(size)
    sentAt.set(this.#sentAt)
    this.#sentAt = sentAt
    const outcomeCodes = new Uint8Array(size)
    outcomeCodes.set(this.#outcomes)
    this.#outcomes = outcomeCodes
  }
}

/** 53 bits of a text (cyrb53): enough to tell two orders under one row number apart. */
export function fingerprint(text: string): number {
  let high = 0xdeadbeef
  let low = 0x41c6ce57
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    high = Math.imul(high ^ unit, 2_654_435_761)
    low = Math.imul(low ^ unit, 1_597_334_677)
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909)
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909)
  return 4_294_967_296 * (2_097_151 & low) + (high >>> 0)
}
