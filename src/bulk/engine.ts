import type { CallOptions } from '../client/index.js'
import { type Clock, createRetryBudget, systemClock } from '../client/index.js'
import { startDeadline } from '../client/internal.js'
import { ConnectionError } from '../contract/index.js'
import { assertLimits } from '../shared/word-match.js'
import { failedWith, preparedOf, type RowOutcome, referenceOfRow } from './actions/row-action.js'
import type { InputRow } from './input/row-source.js'
import type { RunOptions } from './options.js'
import type { RowResult, RunSummary } from './outcome.js'
import { RunTally } from './progress.js'
import type { RunRecord } from './record/run-record.js'
import { Concurrency, defaultConcurrency, identityOf, type RowPlace, RowQueue, RowReader } from './row-queue.js'
import { Results, RunEnd } from './run-end.js'

/** The longest single wait in a run without a time limit. */
const patienceMs = 300_000
/** Time between two attempts to claim rows that another process has claimed. */
const heldPollMs = 500
/** The share of the rows ahead that is left when the next group is claimed, to be sent while its claims are written. */
const leftAhead = 0.5
/** Results that may wait for the disk or for their reader before no more rows are claimed. */
const mostResultsWaiting = 1_024

/**
 * One run on one record, from its first row to its end. A row is claimed on the record, begun when there is room for
 * its request, and completed with its outcome. A run that has to stop begins nothing more and releases what it has not
 * begun.
 */
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
  #isClaiming = false
  /** Resolves at the next change of the queue or the results; made when something waits for it. */
  #change: PromiseWithResolvers<void> | undefined

  constructor(options: RunOptions<Input>, record: RunRecord) {
    const { concurrency, timeoutMs, attemptTimeoutMs } = options
    assertLimits({ timeoutMs, attemptTimeoutMs })
    assertLimits({ concurrency }, 1)
    this.#options = options
    this.#record = record
    this.#clock = options.clock ?? systemClock
    this.#concurrency = new Concurrency(options.concurrency ?? defaultConcurrency, record.ahead, options.pacer)
    this.#deadline = startDeadline(this.#clock, options.timeoutMs ?? 0)
    this.#reader = new RowReader(options.rows)
    this.#queue = new RowQueue<Input>(record, options.action)
    this.#tally = new RunTally(options, this.#clock, () => this.#queue.inFlight)
    this.#runEnd = new RunEnd(this.#clock)
    this.#runEnd.signal.addEventListener('abort', () => {
      this.#reader.stop()
      this.#proceed()
    })
    this.#results = new Results(record, options.onResult, {
      taken: () => this.#proceed(),
      unwritten: (error) => this.#runEnd.by('record', error),
      unread: (error) => this.#runEnd.byDefect(error),
    })
  }

  async run(): Promise<RunSummary> {
    const stopListening = this.#listen()
    try {
      await this.#claimInput()
      await this.#claimHeld()
    } catch (error) {
      this.#runEnd.by('interrupted')
      throw error
    } finally {
      await this.#until(() => this.#queue.open === 0)
      this.#record.flush()
      await this.#until(() => this.#results.waiting === 0)
      this.#tally.stop()
      stopListening()
    }
    return this.#finish()
  }

  /** Stops the run when the caller's signals say so. Returns a function that ends that. */
  #listen(): () => void {
    const { signal, abortSignal } = this.#options
    const interrupt = () => {
      if (abortSignal?.aborted) this.#abort.abort(new ConnectionError('The run was interrupted', { reason: 'aborted' }))
      this.#runEnd.by('interrupted')
    }
    for (const each of [signal, abortSignal]) {
      if (each?.aborted) interrupt()
      each?.addEventListener('abort', interrupt, { once: true })
    }
    return () => {
      for (const each of [signal, abortSignal]) each?.removeEventListener('abort', interrupt)
    }
  }

  async #finish(): Promise<RunSummary> {
    if (this.#runEnd.defect !== undefined) throw this.#runEnd.defect.error
    if (!this.#isStopped) await this.#record.finish().catch((error) => this.#runEnd.by('record', error))
    this.#tally.finish()
    const { counts, earlier, left } = this.#tally
    const { reason: stopped, cause, resumeAt } = this.#runEnd
    return { counts, earlier, left, stopped, cause, resumeAt }
  }

  get #isStopped(): boolean {
    return this.#runEnd.reason !== undefined
  }

  /** Claims the rows of the input as they are read. */
  async #claimInput(): Promise<void> {
    try {
      for (let rows = await this.#reader.next(); rows !== undefined; rows = await this.#reader.next()) {
        for (const row of rows) {
          if (this.#isStopped) return
          this.#tally.rowsRead++
          this.#add(row)
          if (this.#isFull()) await this.#claimAndMakeRoom()
        }
        void this.#claim()
      }
      this.#tally.isInputRead = true
    } finally {
      this.#reader.close()
    }
  }

  /** Claims the rows that other processes hold, until they have settled or left all of them. */
  async #claimHeld(): Promise<void> {
    await this.#until(() => this.#queue.open === 0)
    while (this.#queue.held > 0 && !this.#isStopped) {
      await this.#clock.sleep(heldPollMs, this.#runEnd.signal)
      for (const row of this.#queue.takeHeld()) {
        this.#queue.add(row)
        if (this.#isFull()) await this.#claimAndMakeRoom()
      }
      await this.#claim()
      await this.#until(() => this.#queue.open === 0)
    }
    this.#tally.left += this.#queue.held
  }

  /** Queues a row to be claimed; one that cannot be sent has failed. */
  #add(row: InputRow): void {
    const prepared = preparedOf(row, this.#options.action)
    if ('fault' in prepared) {
      const identity = { clientOrderReference: referenceOfRow(row) ?? null, idempotencyKey: null }
      this.#complete(row, identity, failedWith(prepared.fault))
    } else {
      prepared.line = row.line ?? row.row
      this.#queue.add({ row: row.row, line: row.line, prepared })
    }
  }

  #isFull(): boolean {
    const most = this.#concurrency.room() + this.#concurrency.ahead()
    return this.#queue.open >= most || this.#results.waiting >= mostResultsWaiting
  }

  /** Waits until a whole group of rows can be claimed, because each claim is a write. */
  #claimAndMakeRoom(): Promise<void> {
    void this.#claim()
    return this.#until(() => {
      const most = this.#concurrency.room() + this.#concurrency.ahead() * leftAhead
      return this.#isStopped || (this.#queue.open <= most && this.#results.waiting <= mostResultsWaiting / 2)
    })
  }

  /** Claims the rows that wait; those that are added meanwhile share the next claim. */
  async #claim(): Promise<void> {
    if (this.#isClaiming) return
    this.#isClaiming = true
    while (this.#queue.hasWaiting && !this.#isStopped) {
      try {
        for (const outcome of await this.#queue.claim()) this.#tally.countEarlier(outcome)
      } catch (error) {
        this.#runEnd.by('record', error)
      }
      this.#proceed()
    }
    this.#isClaiming = false
    this.#proceed()
  }

  /** Begins the rows that there is room for, and wakes what waits for the run to come further. */
  #proceed(): void {
    if (this.#isStopped) this.#tally.left += this.#queue.release()
    while (this.#queue.inFlight < this.#concurrency.room()) {
      const row = this.#queue.begin()
      if (row === undefined) break
      void this.#execute(row)
    }
    this.#change?.resolve()
    this.#change = undefined
  }

  async #until(isReached: () => boolean): Promise<void> {
    while (!isReached()) {
      this.#change ??= Promise.withResolvers()
      await this.#change.promise
    }
  }

  /** Sends a row; whatever becomes of it makes room for the next one. */
  async #execute({ row, line, prepared, history }: NonNullable<ReturnType<RowQueue<Input>['begin']>>): Promise<void> {
    try {
      const outcome = await this.#options.action.execute(prepared, history, this.#callOptions())
      this.#concurrency.countAnswer()
      this.#complete({ row, line }, identityOf(prepared), outcome)
    } catch (failure) {
      this.#tally.left++
      this.#runEnd.byFailure(failure, this.#maxWaitMs(), this.#deadline.remainingMs())
    } finally {
      this.#queue.end()
      this.#proceed()
    }
  }

  #callOptions(): CallOptions {
    const remainingMs = this.#deadline.remainingMs()
    return {
      // An attempt listens to each signal that it is given.
      signal: this.#options.abortSignal && this.#abort.signal,
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

  #complete(
    { row, line }: RowPlace,
    identity: Pick<RowResult, 'clientOrderReference' | 'idempotencyKey'>,
    { outcome, deliveryId, status, error }: RowOutcome,
  ): void {
    this.#tally.countSettled(outcome)
    this.#results.add({
      row,
      ...(line === undefined ? {} : { line }),
      ...identity,
      outcome,
      deliveryId: deliveryId ?? null,
      status: status ?? null,
      error: error ?? null,
    })
  }
}
