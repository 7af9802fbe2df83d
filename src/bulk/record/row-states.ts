import { isSuccess, type Outcome, outcomes } from '../outcome.js'

/** The recorded state of a row. */
export interface RowState {
  /** Absent if the row was started but has no recorded outcome. */
  outcome: Outcome | undefined
  /** Whether the row may have been sent and has no recorded response that settles it. */
  wasSent: boolean
  /** When it was first sent, by the service's clock, in milliseconds since the epoch; absent if unknown. */
  sentAtMs: number | undefined
  /** The idempotency key that it was sent with, if it may have been sent. */
  idempotencyKey: string | undefined
}

type RowNumbers = Float64Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>

/** Stand-ins for the time of a row that was never sent, and for an unknown time. */
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
  /** Idempotency keys of unsettled rows: few, because rows are sent in order. */
  readonly #keys = new Map<number, string>()

  /** Records that a row is about to be sent. A repetition clears its outcome and keeps the first time. */
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

  /** The recorded state of a row; `undefined` if there is none. */
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
    this.#fingerprints = withRoom(this.#fingerprints, row)
    this.#sentAt = withRoom(this.#sentAt, row)
    this.#outcomes = withRoom(this.#outcomes, row)
  }
}

/**
 * The orders of a run by their reference, in 12 bytes a row: tells whether another row asked for something else under
 * the same one, which the service's answer does not always show.
 */
export class OrderReferences {
  #references = new Float64Array(1_024)
  #bodies = new Uint32Array(1_024)
  #length = 0

  note(row: number, reference: string, bodyHash: string): void {
    this.#references = withRoom(this.#references, row)
    this.#bodies = withRoom(this.#bodies, row)
    this.#references[row] = fingerprint(reference)
    this.#bodies[row] = shortHash(bodyHash)
    this.#length = Math.max(this.#length, row + 1)
  }

  /** Removes a row that did not become a delivery: another row may use its reference. */
  forget(row: number): void {
    if (row < this.#length) this.#references[row] = 0
  }

  /** The first other row with this reference and another body. */
  clashOf(row: number, reference: string, bodyHash: string): number | undefined {
    const wanted = fingerprint(reference)
    const body = shortHash(bodyHash)
    for (let other = this.#references.indexOf(wanted); other >= 0; other = this.#references.indexOf(wanted, other + 1))
      if (other !== row && other < this.#length && this.#bodies[other] !== body) return other
    return undefined
  }
}

/** The array, or a longer one with its values: the memory of the shorter one is free at once, not when it is collected. */
function withRoom<Numbers extends RowNumbers>(numbers: Numbers, row: number): Numbers {
  if (row < numbers.length) return numbers
  const longer = numbers.buffer.transfer(Math.max(row + 1, numbers.length * 2) * numbers.BYTES_PER_ELEMENT)
  return new (numbers.constructor as new (buffer: ArrayBuffer) => Numbers)(longer)
}

function shortHash(bodyHash: string): number {
  return Number.parseInt(bodyHash.slice(0, 8), 16)
}

/** 53 bits of a text (cyrb53): enough to tell two orders under one row number apart. */
function fingerprint(text: string): number {
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

/**
 * The outcome that settles a row, so that a resumed run skips it. Rows that earlier runs refused are retried if the last
 * run reached its end.
 */
export function settledOutcome(
  { states, wasComplete }: { states: RowStates; wasComplete: boolean },
  row: number,
  bodyHash: string,
): Outcome | undefined {
  const outcome = states.stateOf(row, bodyHash)?.outcome
  const isSettled = outcome !== undefined && outcome !== 'unknown' && (isSuccess(outcome) || !wasComplete)
  return isSettled ? outcome : undefined
}
