import { type Outcome, outcomes } from '../outcome.js'

/** What a record says of a row. */
export interface RowState {
  /** Absent where the row was begun and its outcome is not on record. */
  outcome: Outcome | undefined
  /** Seconds since the epoch at which the row was first meant to be sent; 0 where it never was. */
  intendedAtSeconds: number
}

/**
 * The state of each row by its number, in 17 bytes a row, so that the record of a million rows fits into a small
 * machine. A row whose fingerprint differs from the recorded one is another row under the same number.
 */
export class RowStates {
  #fingerprints = new Float64Array(1_024)
  #intendedAt = new Float64Array(1_024)
  #outcomes = new Uint8Array(1_024)

  intend(row: number, identity: string, atSeconds: number): void {
    this.#grow(row)
    const print = fingerprint(identity)
    if (this.#fingerprints[row] === print && (this.#intendedAt[row] ?? 0) > 0) return
    this.#fingerprints[row] = print
    this.#intendedAt[row] = atSeconds
    this.#outcomes[row] = 0
  }

  conclude(row: number, outcome: Outcome): void {
    this.#grow(row)
    this.#outcomes[row] = outcomes.indexOf(outcome) + 1
  }

  /** The recorded state of a row; `undefined` where the record knows nothing of it. */
  stateOf(row: number, identity: string): RowState | undefined {
    if (row >= this.#outcomes.length || this.#fingerprints[row] !== fingerprint(identity)) return undefined
    return { outcome: this.#outcomeAt(row), intendedAtSeconds: this.#intendedAt[row] ?? 0 }
  }

  /** Rows on record whose outcome is known. */
  *concluded(): Generator<Outcome> {
    for (let row = 0; row < this.#outcomes.length; row++) {
      const outcome = this.#outcomeAt(row)
      if (outcome !== undefined) yield outcome
    }
  }

  #outcomeAt(row: number): Outcome | undefined {
    return outcomes[(this.#outcomes[row] ?? 0) - 1]
  }

  #grow(row: number): void {
    if (row < this.#outcomes.length) return
    const size = Math.max(row + 1, this.#outcomes.length * 2)
    const fingerprints = new Float64Array(size)
    fingerprints.set(this.#fingerprints)
    this.#fingerprints = fingerprints
    const intendedAt = new Float64Array(size)
    intendedAt.set(this.#intendedAt)
    this.#intendedAt = intendedAt
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
