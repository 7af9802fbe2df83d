import type { Clock, Pacer } from '../client/index.js'
import { policyText } from '../client/internal.js'
import type { ReadingState } from './input/row-source.js'
import { type Counts, noCounts, type Outcome } from './outcome.js'
import { createRateMeter, estimateRows, type Progress } from './progress.js'

/** Counts the rows of a run and reports its progress. */
export class RunTally {
  /** Rows by outcome, those of earlier runs on the same record included. */
  readonly counts: Counts = noCounts()
  rowsTaken = 0
  /** Whether the input has no more rows. */
  isInputRead = false
  /** Rows that an earlier run had settled. */
  earlier = 0
  /** Rows that were taken up and not settled. */
  left = 0
  #settled = 0
  readonly #meter

  constructor(clock: Clock) {
    this.#meter = createRateMeter(clock)
  }

  countEarlier(outcome: Outcome): void {
    this.earlier++
    this.counts[outcome]++
  }

  countSettled(outcome: Outcome): void {
    this.#settled++
    this.counts[outcome]++
    this.#meter.count()
  }

  progress(reading: ReadingState, pacer: Pick<Pacer, 'heldForMs' | 'limitedBy'>, inFlight: number): Progress {
    const done = this.earlier + this.#settled
    const perSecond = this.#meter.perSecond()
    const limit = pacer.limitedBy?.()
    const total = this.isInputRead ? this.rowsTaken : estimateRows(reading, this.rowsTaken)
    return {
      done,
      failed: this.counts.failed + this.counts.conflict + this.counts.unknown,
      inFlight,
      perSecond,
      total,
      isTotalEstimated: total !== undefined && !this.isInputRead,
      etaMs: total === undefined || perSecond === 0 ? undefined : (Math.max(0, total - done) / perSecond) * 1_000,
      waitingMs: pacer.heldForMs(),
      limit: limit === undefined ? undefined : policyText(limit),
    }
  }
}
