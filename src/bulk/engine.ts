import type { CallOptions } from '../client/index.js'
import { type Clock, createRetryBudget, systemClock } from '../client/index.js'
import { startDeadline } from '../client/internal.js'
import { ConnectionError } from '../contract/index.js'
import { failedWith, type PreparedRow, preparedOf, type RowOutcome, referenceOfRow } from './actions/row-action.js'
import { Concurrency, defaultConcurrency } from './concurrency.js'
import type { InputRow } from './input/row-source.js'
import type { RunOptions } from './options.js'
import { isSuccess, type Outcome, type RowResult } from './outcome.js'
import { ProgressReport } from './progress-report.js'
import type { RowState } from './record/row-states.js'
import type { RunRecord } from './record/run-record.js'
import { Results } from './results.js'
import { type Entry, identityOf, type RowPlace, RowQueue } from './row-queue.js'
import { RowReader } from './row-reader.js'
import { RunEnd } from './run-end.js'
import type { StopReason } from './stop-reason.js'
import type { RunSummary } from './summary.js'
import { RunTally } from './tally.js'

/** The longest single wait in a run without a time limit. */
const patienceMs = 300_000
/** How often a row is looked at that another process is carrying out. */
const elsewhereMs = 500
/** Rows ahead of the sending before the first answer: it tells the service's time, which an intent should hold. */
const firstAhead = 16
/** Rows further ahead for each answer: the first ones are soon sent, and a long run waits for the disk less often. */
const aheadForAnswer = 8
/** The share of the rows ahead that is left when the next group is taken up, to be sent while its intents are kept. */
const leftAhead = 0.5
/** Results that may wait for the disk or for their reader before no more rows are taken up. */
const mostResultsWaiting = 1_024

/** One run on one record, from its first row to its end. A row is sent once its intent is kept. */
export class RunEngine<Input> {
  readonly #options: RunOptions<Input>
  readonly #record: RunRecord
  readonly #clock: Clock
  readonly #abort = new AbortController()
  readonly #budget = createRetryBudget()
  readonly #concurrency
  readonly #tally
  readonly #deadline
  readonly #results
  readonly #queue
  readonly #runEnd
  readonly #reader
  readonly #report
  /** Rows that are taken up and have no answer yet: those that follow, and those in flight. */
  #open = 0
  #inFlight = 0
  /** What waits for the run to come so far. */
  #awaited: { isReached: () => boolean; resolve: () => void } | undefined

  constructor(options: RunOptions<Input>, record: RunRecord) {
    this.#options = options
    this.#record = record
    this.#clock = options.clock ?? systemClock
    this.#concurrency = new Concurrency(options.concurrency ?? defaultConcurrency, options.pacer)
    this.#tally = new RunTally(this.#clock)
    this.#deadline = startDeadline(this.#clock, options.timeoutMs ?? 0)
    this.#runEnd = new RunEnd(this.#clock)
    this.#reader = new RowReader(options.rows)
    const progress = () => this.#tally.progress(options.rows.reading, options.pacer, this.#inFlight)
    this.#report = new ProgressReport(options.onProgress, progress, this.#clock)
    this.#queue = new RowQueue<Input>(record, options.action, {
      kept: () => this.#proceed(),
      others: (outcome) => this.#leaveToOthers(outcome),
      failed: (rows, error) => {
        this.#leave(rows)
        this.#end('record', error)
      },
    })
    this.#results = new Results(record, options.onResult, {
      taken: () => this.#proceed(),
      unwritten: (error) => this.#end('record', error),
      unread: (error) => this.#endByDefect(error),
    })
  }

  async run(): Promise<RunSummary> {
    const { signal, abortSignal } = this.#options
    const interrupt = () => {
      if (abortSignal?.aborted) this.#abort.abort(new ConnectionError('The run was interrupted', { reason: 'aborted' }))
      this.#end('interrupted')
    }
    for (const each of [signal, abortSignal]) {
      if (each?.aborted) interrupt()
      each?.addEventListener('abort', interrupt, { once: true })
    }
    try {
      await this.#consumeRows()
      await this.#awaitOthers()
    } catch (error) {
      this.#end('interrupted')
      throw error
    } finally {
      await this.#until(() => this.#open === 0)
      this.#record.flush()
      await this.#until(() => this.#results.waiting === 0)
      this.#report.stop()
      for (const each of [signal, abortSignal]) each?.removeEventListener('abort', interrupt)
    }
    if (this.#runEnd.defect !== undefined) throw this.#runEnd.defect.error
    if (this.#runEnd.reason === undefined) await this.#record.complete().catch((error) => this.#end('record', error))
    this.#report.tell(true)
    const { counts, earlier, left } = this.#tally
    const { reason: stopped, cause, resumeAt } = this.#runEnd
    return { counts, earlier, left, stopped, cause, resumeAt }
  }

  async #consumeRows(): Promise<void> {
    try {
      for (;;) {
        const batch = await this.#reader.next()
        if (batch === undefined) {
          this.#tally.isInputRead = true
          return
        }
        for (const row of batch) {
          if (this.#runEnd.reason !== undefined) return
          this.#tally.rowsTaken++
          this.#take(row)
          if (this.#isFull()) await this.#roomToTake()
        }
        this.#queue.keep()
      }
    } finally {
      this.#reader.close()
    }
  }

  /** Waits until other processes have settled what they claimed, and takes over what they leave. */
  async #awaitOthers(): Promise<void> {
    await this.#until(() => this.#open === 0)
    while (this.#queue.hasElsewhere && this.#runEnd.reason === undefined) {
      await this.#clock.sleep(elsewhereMs, this.#runEnd.signal)
      for (const { prepared, ...place } of this.#queue.takeElsewhere()) {
        if (this.#runEnd.reason !== undefined) this.#tally.left++
        else this.#begin(place, prepared, undefined)
        if (this.#isFull()) await this.#roomToTake()
      }
      this.#queue.keep()
      await this.#until(() => this.#open === 0)
    }
    this.#tally.left += this.#queue.takeElsewhere().length
  }

  #take(row: InputRow): void {
    const prepared = preparedOf(row, this.#options.action)
    if ('fault' in prepared) {
      const identity = { clientOrderReference: referenceOfRow(row) ?? null, idempotencyKey: null }
      this.#settle(row, identity, failedWith(prepared.fault))
      return
    }
    const state = this.#record.stateOf(row.row, prepared.bodyHash)
    if (this.#isSettled(state)) {
      this.#tally.countEarlier(state.outcome)
      this.#report.tell()
    } else this.#begin(row, prepared, state)
  }

  /** Whether an earlier run has settled a row. What it refused is tried again once that run has come to its end. */
  #isSettled(state: RowState | undefined): state is RowState & { outcome: NonNullable<RowState['outcome']> } {
    if (state?.outcome === undefined || state.outcome === 'unknown') return false
    return isSuccess(state.outcome) || !this.#record.wasComplete
  }

  /** Takes a row up: it is sent once its intent is kept and there is room for it. */
  #begin(place: RowPlace, prepared: PreparedRow<Input>, state: RowState | undefined): void {
    this.#open++
    this.#queue.add(place, prepared, state)
  }

  /** Rows that are taken up beyond those in flight. */
  #ahead(): number {
    return Math.min(this.#record.ahead, firstAhead + this.#concurrency.answers * aheadForAnswer)
  }

  #isFull(): boolean {
    return this.#open >= this.#concurrency.room() + this.#ahead() || this.#results.waiting >= mostResultsWaiting
  }

  /** Waits until a whole group of rows can be taken up: one by one, each would be a write of its own. */
  #roomToTake(): Promise<void> {
    this.#queue.keep()
    return this.#until(
      () =>
        this.#runEnd.reason !== undefined ||
        (this.#open <= this.#concurrency.room() + this.#ahead() * leftAhead &&
          this.#results.waiting <= mostResultsWaiting / 2),
    )
  }

  /** Waits for what rows bring about; nothing else waits meanwhile. */
  #until(isReached: () => boolean): Promise<void> {
    if (isReached()) return Promise.resolve()
    return new Promise((resolve) => {
      this.#awaited = { isReached, resolve }
    })
  }

  /** Sends what there is room for, and wakes what waits for the run to come so far. */
  #proceed(): void {
    if (this.#runEnd.reason !== undefined) this.#leave(this.#queue.clear())
    while (this.#inFlight < this.#concurrency.room()) {
      const entry = this.#queue.next()
      if (entry === undefined) break
      this.#send(entry)
    }
    if (this.#awaited?.isReached() !== true) return
    const { resolve } = this.#awaited
    this.#awaited = undefined
    resolve()
  }

  /** Rows that are taken up and stay unsettled. */
  #leave(rows: number): void {
    this.#open -= rows
    this.#tally.left += rows
  }

  /** A row that another process of a shared run has settled, or is carrying out. */
  #leaveToOthers(outcome: Outcome | undefined): void {
    this.#open--
    if (outcome !== undefined) this.#tally.countEarlier(outcome)
    this.#report.tell()
  }

  /** Carries a row out; whatever becomes of it makes room for the next one. */
  #send({ row, line, prepared, ...history }: Entry<Input>): void {
    const { clientOrderReference, bodyHash } = prepared
    const clashingRow = () =>
      clientOrderReference === null ? undefined : this.#record.clashOf(row, clientOrderReference, bodyHash)
    this.#inFlight++
    this.#options.action.execute(prepared, { ...history, clashingRow }, this.#callOptions()).then(
      (outcome) => {
        this.#concurrency.countAnswer()
        this.#inFlight--
        this.#open--
        try {
          this.#settle({ row, line }, identityOf(prepared), outcome)
        } catch (error) {
          this.#endByDefect(error)
        }
        this.#proceed()
      },
      (failure: unknown) => {
        this.#inFlight--
        this.#leave(1)
        this.#runEnd.byFailure(failure, this.#maxWaitMs(), this.#deadline.remainingMs())
        this.#afterEnd()
      },
    )
  }

  #callOptions(): CallOptions {
    const remainingMs = this.#deadline.remainingMs()
    return {
      signal: this.#abort.signal,
      drain: this.#runEnd.signal,
      budget: this.#budget,
      timeoutMs: Number.isFinite(remainingMs) ? Math.max(1, remainingMs) : 0,
      attemptTimeoutMs: this.#options.attemptTimeoutMs,
      maxWaitMs: this.#maxWaitMs(),
    }
  }

  #maxWaitMs(): number {
    return this.#options.timeoutMs === undefined ? patienceMs : Number.POSITIVE_INFINITY
  }

  #settle(
    { row, line }: RowPlace,
    identity: Pick<RowResult, 'clientOrderReference' | 'idempotencyKey'>,
    end: RowOutcome,
  ): void {
    this.#tally.countSettled(end.outcome)
    this.#report.tell()
    this.#results.add({
      row,
      ...(line === undefined ? {} : { line }),
      ...identity,
      outcome: end.outcome,
      deliveryId: end.deliveryId ?? null,
      status: end.status ?? null,
      error: end.error ?? null,
    })
  }

  #endByDefect(error: unknown): void {
    this.#runEnd.byDefect(error)
    this.#afterEnd()
  }

  #end(reason: StopReason, cause?: unknown): void {
    this.#runEnd.by(reason, cause)
    this.#afterEnd()
  }

  #afterEnd(): void {
    this.#reader.stop()
    this.#proceed()
  }
}
