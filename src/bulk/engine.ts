import type { CallOptions } from '../client/index.js'
import { type Clock, createRetryBudget, systemClock } from '../client/index.js'
import { retryAfterOf, startDeadline } from '../client/internal.js'
import { ConnectionError, UsageError } from '../contract/index.js'
import { failedWith, type PreparedRow, type RowOutcome } from './actions/row-action.js'
import { Concurrency } from './concurrency.js'
import type { InputRow } from './input/row-source.js'
import type { RunOptions } from './options.js'
import { isSuccess, type RowResult } from './outcome.js'
import type { RowState } from './record/row-states.js'
import type { RunRecord } from './record/run-record.js'
import { Results } from './results.js'
import { type StopReason, stopReason } from './stop-reason.js'
import type { RunSummary } from './summary.js'
import { RunTally } from './tally.js'

/** The longest single wait in a run without a time limit. */
const patienceMs = 300_000
/** Requests in flight unless the caller says otherwise. */
const mostInFlight = 64
/** How often a row is looked at that another process is carrying out. */
const elsewhereMs = 500
/** Rows ahead of the sending before the first answer: it tells the service's time, which an intent should hold. */
const firstAhead = 16
/** Results that may wait for the disk or for their reader before no more rows are taken up. */
const mostResultsWaiting = 1_024

/** A row that is taken up. */
interface Entry<Input> {
  row: number
  prepared: PreparedRow<Input>
  wasSent: boolean
  sentAtMs: number | undefined
}

/**
 * One run on one record, from its first row to its end. Rows are taken up in groups and ahead of the sending, so that
 * many intents share one write and no request waits for the disk; a row is sent once its intent is kept.
 */
export class RunEngine<Input> {
  readonly #options: RunOptions<Input>
  readonly #record: RunRecord
  readonly #clock: Clock
  readonly #stop = new AbortController()
  readonly #abort = new AbortController()
  readonly #budget = createRetryBudget()
  readonly #concurrency
  readonly #tally
  readonly #deadline
  readonly #results
  /** Rows that are taken up and have no answer yet: those that follow, and those in flight. */
  #open = 0
  /** Rows whose intents are not kept. */
  #fresh: Entry<Input>[] = []
  #isKeeping = false
  /** Rows that may be sent. */
  #ready: Entry<Input>[] = []
  #inFlight = 0
  /** Rows that other processes of a shared run have claimed. */
  #elsewhere: { row: number; prepared: PreparedRow<Input> }[] = []
  #reason: StopReason | undefined
  #cause: unknown
  /** What is neither the service's fault nor the network's. */
  #defect: { error: unknown } | undefined
  #resumeAt: Date | undefined
  /** Ends the wait for the next row: a pipe may be silent for long when the run has to end. */
  #stopReading: () => void = () => undefined
  /** What waits for the run to come so far. */
  #awaited: { isReached: () => boolean; resolve: () => void } | undefined
  #reportedMs = Number.NEGATIVE_INFINITY

  constructor(options: RunOptions<Input>, record: RunRecord) {
    this.#options = options
    this.#record = record
    this.#clock = options.clock ?? systemClock
    this.#concurrency = new Concurrency(options.concurrency ?? mostInFlight, options.pacer)
    this.#tally = new RunTally(this.#clock)
    this.#deadline = startDeadline(this.#clock, options.timeoutMs ?? 0)
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
    const ticker = this.#options.onProgress === undefined ? undefined : setInterval(() => this.#report(), 250).unref()
    try {
      await this.#consumeRows()
      await this.#awaitOthers()
    } catch (error) {
      this.#end('interrupted')
      throw error
    } finally {
      await this.#until(() => this.#open === 0 && this.#results.waiting === 0)
      clearInterval(ticker)
      for (const each of [signal, abortSignal]) each?.removeEventListener('abort', interrupt)
    }
    if (this.#defect !== undefined) throw this.#defect.error
    if (this.#reason === undefined) await this.#record.complete().catch((error) => this.#end('record', error))
    this.#report(true)
    return {
      counts: this.#tally.counts,
      earlier: this.#tally.earlier,
      left: this.#tally.left,
      stopped: this.#reason,
      cause: this.#cause,
      resumeAt: this.#resumeAt,
    }
  }

  async #consumeRows(): Promise<void> {
    const rows = this.#options.rows[Symbol.asyncIterator]()
    let isOver = false
    try {
      for (;;) {
        const batch = await this.#nextOf(rows)
        if (batch === undefined) return
        for (const row of batch) {
          if (this.#reason !== undefined) return
          this.#tally.rowsTaken++
          this.#take(row)
          if (this.#isFull()) await this.#roomToTake()
        }
        this.#keepIntents()
      }
    } catch (error) {
      isOver = true
      throw error
    } finally {
      // The source may be waiting for input that never comes: it is told, and not waited for.
      if (!isOver) rows.return?.().catch(() => undefined)
    }
  }

  /** Waits until other processes have settled what they claimed, and takes over what they leave. */
  async #awaitOthers(): Promise<void> {
    await this.#until(() => this.#open === 0)
    while (this.#elsewhere.length > 0 && this.#reason === undefined) {
      await this.#clock.sleep(elsewhereMs, this.#stop.signal)
      const others = this.#elsewhere
      this.#elsewhere = []
      for (const { row, prepared } of others) {
        if (this.#reason !== undefined) this.#tally.left++
        else this.#begin(row, prepared, undefined)
        if (this.#isFull()) await this.#roomToTake()
      }
      this.#keepIntents()
      await this.#until(() => this.#open === 0)
    }
    this.#tally.left += this.#elsewhere.length
  }

  /** The next rows; `undefined` at the end of the input, or when the run has to end before they come. */
  #nextOf(rows: AsyncIterator<readonly InputRow[]>): Promise<readonly InputRow[] | undefined> {
    if (this.#reason !== undefined) return Promise.resolve(undefined)
    return new Promise((resolve, reject) => {
      this.#stopReading = () => resolve(undefined)
      rows.next().then(({ done, value }) => resolve(done === true ? undefined : value), reject)
    })
  }

  #take(row: InputRow): void {
    const prepared = this.#prepare(row)
    if ('fault' in prepared) {
      const reference = 'problem' in row ? row.clientOrderReference : undefined
      const identity = { clientOrderReference: reference ?? null, idempotencyKey: null }
      this.#settle(row.row, identity, failedWith(prepared.fault))
      return
    }
    const state = this.#record.stateOf(row.row, prepared.bodyHash)
    if (this.#isSettled(state)) {
      this.#tally.countEarlier(state.outcome)
      this.#report()
    } else this.#begin(row.row, prepared, state)
  }

  /** Whether an earlier run has settled a row. What it refused is tried again once that run has come to its end. */
  #isSettled(state: RowState | undefined): state is RowState & { outcome: NonNullable<RowState['outcome']> } {
    if (state?.outcome === undefined || state.outcome === 'unknown') return false
    return isSuccess(state.outcome) || !this.#record.wasComplete
  }

  #prepare(row: InputRow): PreparedRow<Input> | { fault: unknown } {
    try {
      if ('problem' in row) throw new UsageError(row.problem)
      return this.#options.action.prepare(row.value)
    } catch (fault) {
      return { fault }
    }
  }

  /** Takes a row up: it is sent once its intent is kept and there is room for it. */
  #begin(row: number, prepared: PreparedRow<Input>, state: RowState | undefined): void {
    this.#open++
    this.#fresh.push({ row, prepared, wasSent: state?.wasSent ?? false, sentAtMs: state?.sentAtMs })
  }

  /** Rows that are taken up beyond those in flight. */
  #ahead(): number {
    const { ahead } = this.#record
    return this.#concurrency.isAnswered ? ahead : Math.min(ahead, firstAhead)
  }

  #isFull(): boolean {
    return this.#open >= this.#concurrency.room() + this.#ahead() || this.#results.waiting >= mostResultsWaiting
  }

  /** Waits until a whole group of rows can be taken up: one by one, each would be a write of its own. */
  #roomToTake(): Promise<void> {
    this.#keepIntents()
    return this.#until(
      () =>
        this.#reason !== undefined ||
        (this.#open <= this.#concurrency.room() + this.#ahead() / 2 && this.#results.waiting <= mostResultsWaiting / 2),
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
    if (this.#reason !== undefined) this.#leave([...this.#ready.splice(0), ...this.#fresh.splice(0)])
    while (this.#ready.length > 0 && this.#inFlight < this.#concurrency.room()) {
      const entry = this.#ready.shift()
      if (entry !== undefined) this.#send(entry)
    }
    if (this.#awaited?.isReached() !== true) return
    const { resolve } = this.#awaited
    this.#awaited = undefined
    resolve()
  }

  /** Rows that are taken up and stay unsettled. */
  #leave(entries: readonly unknown[]): void {
    this.#open -= entries.length
    this.#tally.left += entries.length
  }

  /** Keeps the intents of fresh rows: what comes meanwhile shares the next write. */
  async #keepIntents(): Promise<void> {
    if (this.#isKeeping) return
    this.#isKeeping = true
    while (this.#fresh.length > 0) {
      const entries = this.#fresh.splice(0)
      try {
        this.#ready.push(...(await this.#kept(entries)))
      } catch (error) {
        this.#leave(entries)
        this.#end('record', error)
      }
      this.#proceed()
    }
    this.#isKeeping = false
  }

  /** Of these rows, those that are this run's to send; their intents are kept. */
  async #kept(entries: Entry<Input>[]): Promise<Entry<Input>[]> {
    const unsent = entries.filter(({ wasSent }) => !wasSent)
    if (unsent.length === 0) return entries
    const intents = unsent.map(({ row, prepared }) => ({ row, ...identityOf(prepared), bodyHash: prepared.bodyHash }))
    const known = await this.#record.intend(intents, this.#options.action.serviceNowMs())
    if (known === undefined) return entries
    const others = new Set<Entry<Input>>()
    for (const [at, entry] of unsent.entries()) {
      const found = known[at]
      if (found?.kind === 'resumed') Object.assign(entry, { wasSent: true, sentAtMs: found.sentAtMs })
      else if (found !== undefined) others.add(entry)
      if (found?.kind === 'elsewhere') this.#elsewhere.push({ row: entry.row, prepared: entry.prepared })
      else if (found?.kind === 'settled') this.#tally.countEarlier(found.outcome)
    }
    this.#open -= others.size
    if (others.size > 0) this.#report()
    return entries.filter((entry) => !others.has(entry))
  }

  /** Carries a row out; whatever becomes of it makes room for the next one. */
  #send({ row, prepared, wasSent, sentAtMs }: Entry<Input>): void {
    const { clientOrderReference, bodyHash } = prepared
    const clashingRow = () =>
      clientOrderReference === null ? undefined : this.#record.clashOf(row, clientOrderReference, bodyHash)
    this.#inFlight++
    this.#options.action.execute(prepared, { wasSent, sentAtMs, clashingRow }, this.#callOptions()).then(
      (outcome) => {
        this.#concurrency.countAnswer()
        this.#inFlight--
        this.#open--
        try {
          this.#settle(row, identityOf(prepared), outcome)
        } catch (error) {
          this.#endByDefect(error)
        }
        this.#proceed()
      },
      (failure: unknown) => {
        this.#inFlight--
        this.#leave([row])
        this.#endBy(failure)
      },
    )
  }

  #callOptions(): CallOptions {
    const remainingMs = this.#deadline.remainingMs()
    return {
      signal: this.#abort.signal,
      drain: this.#stop.signal,
      budget: this.#budget,
      timeoutMs: Number.isFinite(remainingMs) ? Math.max(1, remainingMs) : 0,
      attemptTimeoutMs: this.#options.attemptTimeoutMs,
      maxWaitMs: this.#maxWaitMs(),
    }
  }

  #maxWaitMs(): number {
    return this.#options.timeoutMs === undefined ? patienceMs : Number.POSITIVE_INFINITY
  }

  #settle(row: number, identity: Pick<RowResult, 'clientOrderReference' | 'idempotencyKey'>, end: RowOutcome): void {
    this.#tally.countSettled(end.outcome)
    this.#report()
    this.#results.add({
      row,
      ...identity,
      outcome: end.outcome,
      deliveryId: end.deliveryId ?? null,
      status: end.status ?? null,
      error: end.error ?? null,
    })
  }

  /** Ends the run by a failure that is no row's own. */
  #endBy(failure: unknown): void {
    try {
      this.#end(stopReason(failure, Math.min(this.#maxWaitMs(), this.#deadline.remainingMs())), failure)
    } catch (error) {
      this.#endByDefect(error)
    }
  }

  #endByDefect(error: unknown): void {
    this.#defect ??= { error }
    this.#end('interrupted')
  }

  #end(reason: StopReason, cause?: unknown): void {
    if (this.#reason === undefined) {
      this.#reason = reason
      this.#cause = cause
      const waitMs = retryAfterOf(cause)
      if (reason === 'wait' && waitMs !== undefined) this.#resumeAt = new Date(this.#clock.nowMs() + waitMs)
      this.#stop.abort()
      this.#stopReading()
    }
    this.#proceed()
  }

  #report(isLast = false): void {
    const { onProgress, rows, pacer } = this.#options
    if (onProgress === undefined) return
    const nowMs = this.#clock.monotonicMs()
    if (!isLast && nowMs - this.#reportedMs < 100) return
    this.#reportedMs = nowMs
    onProgress(this.#tally.progress(rows.reading, pacer, this.#inFlight))
  }
}

function identityOf({ clientOrderReference, idempotencyKey }: PreparedRow<unknown>) {
  return { clientOrderReference, idempotencyKey }
}
