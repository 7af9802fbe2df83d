import type { Clock, Pacer } from '../client/index.js'
import { policyText } from '../client/internal.js'
import type { ReadingState } from './input/row-source.js'
import { type Counts, noCounts, type Outcome } from './outcome.js'

/** The progress of a run. */
export interface Progress {
  /** Settled rows, including those of earlier runs. */
  done: number
  /** Rows that failed. */
  failed: number
  /** Rows that are being sent. */
  inFlight: number
  /** Rows settled per second, averaged over the last seconds. */
  perSecond: number
  /** Rows of the input; `undefined` if the input's length is not known. */
  total: number | undefined
  /** Whether `total` is estimated from the rows read so far. */
  isTotalEstimated: boolean
  /** Milliseconds to the end; `undefined` if the input's length is not known. */
  etaMs: number | undefined
  /** Remaining wait that the service has asked for, in milliseconds; 0 if none. */
  waitingMs: number
  /** The rate limit that currently delays requests, such as `20/s`; `undefined` if none does. */
  limit: string | undefined
}

/** Settled rows over the last seconds. */
interface RateMeter {
  count(): void
  perSecond(): number
}

const spanMs = 10_000
const slots = 20

function createRateMeter(clock: Clock): RateMeter {
  const counts = new Array<number>(slots).fill(0)
  const startedMs = clock.monotonicMs()
  let current = 0

  function advance(): void {
    const slot = Math.floor((clock.monotonicMs() - startedMs) / (spanMs / slots))
    for (let each = Math.max(current + 1, slot - slots + 1); each <= slot; each++) counts[each % slots] = 0
    current = Math.max(current, slot)
  }

  return {
    count() {
      advance()
      const at = current % slots
      counts[at] = (counts[at] ?? 0) + 1
    },
    perSecond() {
      advance()
      const elapsedMs = Math.min(spanMs, Math.max(500, clock.monotonicMs() - startedMs))
      return counts.reduce((sum, count) => sum + count, 0) / (elapsedMs / 1_000)
    },
  }
}

/** Estimates the rows of the whole input from the average length of the rows read. */
function estimateRows({ bytesRead, bytesTotal, rowsRead }: ReadingState, taken: number): number | undefined {
  if (bytesTotal === undefined || bytesRead === 0) return undefined
  return Math.max(taken, Math.round((rowsRead * bytesTotal) / bytesRead))
}

/** Minimum interval between two reports, and the interval of reports while nothing happens, in milliseconds. */
const leastMs = 100
const idleMs = 250

/** The sources of the progress, and the callback that receives it. */
interface ReportOptions {
  rows: { reading: ReadingState }
  pacer: Pick<Pacer, 'heldForMs' | 'limitedBy'>
  onProgress?: ((progress: Progress) => void) | undefined
}

/** Counts the rows of a run and reports its progress, also while nothing happens. */
export class RunTally {
  /** Rows by outcome, including those of earlier runs on the same record. */
  readonly counts: Counts = noCounts()
  rowsRead = 0
  /** Whether the input has no more rows. */
  isInputRead = false
  /** Rows that an earlier run had settled. */
  earlier = 0
  /** Rows that were read but not settled. */
  left = 0
  #settled = 0
  #reportedMs = Number.NEGATIVE_INFINITY
  readonly #meter
  readonly #ticker: ReturnType<typeof setInterval> | undefined

  constructor(
    private readonly options: ReportOptions,
    private readonly clock: Clock,
    private readonly inFlight: () => number,
  ) {
    this.#meter = createRateMeter(clock)
    if (options.onProgress !== undefined) this.#ticker = setInterval(() => this.#report(), idleMs).unref()
  }

  countEarlier(outcome: Outcome): void {
    this.earlier++
    this.counts[outcome]++
    this.#report()
  }

  countSettled(outcome: Outcome): void {
    this.#settled++
    this.counts[outcome]++
    this.#meter.count()
    this.#report()
  }

  /** Stops the reports at intervals. */
  stop(): void {
    clearInterval(this.#ticker)
  }

  /** Reports the final progress. */
  finish(): void {
    this.options.onProgress?.(this.#now())
  }

  #report(): void {
    const { onProgress } = this.options
    if (onProgress === undefined) return
    const nowMs = this.clock.monotonicMs()
    if (nowMs - this.#reportedMs < leastMs) return
    this.#reportedMs = nowMs
    onProgress(this.#now())
  }

  #now(): Progress {
    const { rows, pacer } = this.options
    const done = this.earlier + this.#settled
    const perSecond = this.#meter.perSecond()
    const limit = pacer.limitedBy?.()
    const total = this.isInputRead ? this.rowsRead : estimateRows(rows.reading, this.rowsRead)
    return {
      done,
      failed: this.counts.failed + this.counts.conflict + this.counts.unknown,
      inFlight: this.inFlight(),
      perSecond,
      total,
      isTotalEstimated: total !== undefined && !this.isInputRead,
      etaMs: total === undefined || perSecond === 0 ? undefined : (Math.max(0, total - done) / perSecond) * 1_000,
      waitingMs: pacer.heldForMs(),
      limit: limit === undefined ? undefined : policyText(limit),
    }
  }
}
