import type { RowResult } from '../outcome.js'
import { leavesDelivery } from './run-history.js'

/** A result, and the run that wrote it, counted from 1. */
interface Noted {
  result: RowResult
  run: number
}

/**
 * What the newest run in a results file says of each row. Rows move when a line is added or left out, so that a row
 * number is another order in the next run: a result counts for its order, and for its row only as long as no later run
 * has that row for another one.
 */
export class LatestResults {
  readonly #rows = new Map<number, Noted>()
  /** Orders that are or may be deliveries and whose row is another order's by now. */
  readonly #displaced = new Map<string, Noted>()
  #run = 0
  /** The last row that the newest run has come to. */
  #reached = 0
  /** Whether the newest run has another order in a row than the run before. */
  #hasMoved = false

  begin(): void {
    this.#run++
    this.#reached = 0
    this.#hasMoved = false
  }

  /** @param rows the number of rows that the run had, if it is known */
  complete(rows: number | undefined): void {
    if (rows === undefined) return
    for (const [row, { result }] of this.#rows)
      if (row > rows) {
        this.#rows.delete(row)
        this.#displace(result)
      }
  }

  /** Notes that a row is about to be sent: that it failed before says nothing from here on. */
  intend(row: number, reference: string | null): void {
    this.#reached = Math.max(this.#reached, row)
    const before = this.#rows.get(row)?.result
    if (before === undefined || reference === null) return
    const isSame = referenceInRecord(before) === reference
    if (isSame && leavesDelivery(before.outcome)) return
    this.#rows.delete(row)
    if (isSame) return
    this.#hasMoved = true
    this.#displace(before)
  }

  conclude(result: RowResult): void {
    const { row } = result
    this.#reached = Math.max(this.#reached, row)
    const before = this.#rows.get(row)
    if (before !== undefined && before.run < this.#run && keyOf(before.result) !== keyOf(result)) {
      this.#hasMoved = true
      this.#displace(before.result)
    }
    this.#rows.set(row, { result, run: this.#run })
  }

  #displace(result: RowResult): void {
    if (leavesDelivery(result.outcome)) this.#displaced.set(keyOf(result), { result, run: this.#run })
  }

  /** The results by row: of each order the newest. An unknown outcome stays, also of an order that has no row any more. */
  all(): RowResult[] {
    const doubtful = this.#gone().filter(({ result }) => result.outcome === 'unknown')
    return [...this.#current(), ...doubtful.map(({ result }) => result)].sort((a, b) => a.row - b.row)
  }

  /** The orders that are or may be deliveries and that the newest run was the first without. */
  gone(): RowResult[] {
    return this.#gone().flatMap(({ result, run }) => (run === this.#run ? [result] : []))
  }

  #gone(): Noted[] {
    const known = new Set(this.#current().map(keyOf))
    return [...this.#displaced.values()].filter(({ result }) => !known.has(keyOf(result)))
  }

  #current(): RowResult[] {
    const all = [...this.#rows.values()]
    const isReached = ({ result, run }: Noted) => run === this.#run || result.row <= this.#reached
    const reached = new Set(all.filter(isReached).map(({ result }) => keyOf(result)))
    const counts = (noted: Noted) => {
      if (isReached(noted)) return true
      const { result } = noted
      return !reached.has(keyOf(result)) && (!this.#hasMoved || leavesDelivery(result.outcome))
    }
    return all.filter(counts).map(({ result }) => result)
  }
}

/** The order of a result; its row, if nothing names the order. */
function keyOf({ profile = '', clientOrderReference, deliveryId, row }: RowResult): string {
  return JSON.stringify([profile, clientOrderReference ?? deliveryId ?? row])
}

/** The reference of a result as its intent has it: those of several accounts name theirs. */
function referenceInRecord({ profile, clientOrderReference: reference }: RowResult): string | null {
  return profile === undefined || reference === null ? reference : `${profile}: ${reference}`
}
