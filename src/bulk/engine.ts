import type { CallOptions } from '../client/index.js'
import { type Clock, createRetryBudget, systemClock } from '../client/index.js'
import { retryAfterOf, startDeadline } from '../client/internal.js'
import { ConnectionError, UsageError } from '../contract/index.js'
import { failedWith, type PreparedRow, type RowHistory, type RowOutcome } from './actions/row-action.js'
import { Concurrency } from './concurrency.js'
import type { InputRow } from './input/row-source.js'
import type { RunOptions } from './options.js'
import { isSuccess, type RowResult } from './outcome.js'
import type { RowState } from './record/row-states.js'
import type { RunRecord } from './record/run-record.js'
import { createSemaphore } from './semaphore.js'
import { type StopReason, stopReason } from './stop-reason.js'
import type { RunSummary } from './summary.js'
import { RunTally } from './tally.js'

/** The longest single wait in a run without a time limit. */
const patienceMs = 300_000
/** Requests in flight unless the caller says otherwise. */
const mostInFlight = 64
/** How often a row is looked at that another process is carrying out. */
const elsewhereMs = 500

/** One run on one record, from its first row to its end. */
export class RunEngine<Input> {
  readonly #options: RunOptions<Input>
  readonly #record: RunRecord
  readonly #clock: Clock
  readonly #stop = new AbortController()
  readonly #abort = new AbortController()
  readonly #budget = createRetryBudget()
  readonly #works = new Set<Promise<void>>()
  /** Rows that other processes of a shared run have claimed. */
  #elsewhere: { row: number; prepared: PreparedRow<Input> }[] = []
  readonly #taken = createSemaphore(() => this.#concurrency.room() + this.#record.ahead)
  readonly #sending = createSemaphore(() => this.#concurrency.room())
  readonly #concurrency
  readonly #tally
  readonly #deadline
  #reason: StopReason | undefined
  #cause: unknown
  #resumeAt: Date | undefined
  /** Ends the wait for the next row: a pipe may be silent for long when the run has to end. */
  #stopReading: () => void = () => undefined
  #reportedMs = Number.NEGATIVE_INFINITY

  constructor(options: RunOptions<Input>, record: RunRecord) {
    this.#options = options
    this.#record = record
    this.#clock = options.clock ?? systemClock
    this.#concurrency = new Concurrency(options.concurrency ?? mostInFlight, options.pacer)
    this.#tally = new RunTally(this.#clock)
    this.#deadline = startDeadline(this.#clock, options.timeoutMs ?? 0)
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
      await Promise.all(this.#works)
      clearInterval(ticker)
      for (const each of [signal, abortSignal]) each?.removeEventListener('abort', interrupt)
    }
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
          const isTaken = this.#take(row)
          if (isTaken !== undefined) await isTaken
        }
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
    await Promise.all(this.#works)
    while (this.#elsewhere.length > 0 && this.#reason === undefined) {
      await this.#clock.sleep(elsewhereMs, this.#stop.signal)
      for (const { row, prepared } of this.#elsewhere.splice(0)) await this.#begin(row, prepared, undefined)
      await Promise.all(this.#works)
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

  /**
   * Takes a row up as soon as there is room for it. Intents are written ahead of the sending, so that no request waits
   * for the disk while others could be sent.
   */
  async #take(row: InputRow): Promise<void> {
    const prepared = this.#prepare(row)
    if ('fault' in prepared) {
      const reference = 'problem' in row ? row.clientOrderReference : undefined
      const identity = { clientOrderReference: reference ?? null, idempotencyKey: null }
      return this.#settle(row.row, identity, failedWith(prepared.fault))
    }
    const state = this.#record.stateOf(row.row, prepared.bodyHash)
    if (this.#isSettled(state)) {
      this.#tally.countEarlier(state.outcome)
      this.#report()
      return
    }
    await this.#begin(row.row, prepared, state)
  }

  /** Begins a row as soon as there is room for it. */
  async #begin(row: number, prepared: PreparedRow<Input>, state: RowState | undefined): Promise<void> {
    const entry = this.#taken.acquire()
    if (entry !== undefined) await entry
    const work = this.#execute(row, prepared, state).finally(() => {
      this.#works.delete(work)
      this.#taken.release()
    })
    this.#works.add(work)
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

  async #execute(row: number, prepared: PreparedRow<Input>, state: RowState | undefined): Promise<void> {
    const { bodyHash, clientOrderReference } = prepared
    let { wasSent = false, sentAtMs }: Partial<RowState> = state ?? {}
    try {
      if (!wasSent && this.#reason === undefined) {
        const intent = { row, ...identityOf(prepared), bodyHash }
        const known = await this.#record.intend(intent, this.#options.action.serviceNowMs())
        if (known?.kind === 'elsewhere') {
          this.#elsewhere.push({ row, prepared })
          return
        }
        if (known?.kind === 'settled') {
          this.#tally.countEarlier(known.outcome)
          this.#report()
          return
        }
        if (known?.kind === 'resumed') {
          wasSent = true
          sentAtMs = known.sentAtMs
        }
      }
    } catch (error) {
      this.#end('record', error)
    }
    const entry = this.#sending.acquire()
    if (entry !== undefined) await entry
    let end: RowOutcome | undefined
    try {
      const clashingRow = () =>
        clientOrderReference === null ? undefined : this.#record.clashOf(row, clientOrderReference, bodyHash)
      end = await this.#send(prepared, { wasSent, sentAtMs, clashingRow })
    } finally {
      this.#sending.release()
    }
    if (end === undefined) this.#tally.left++
    else await this.#settle(row, identityOf(prepared), end)
  }

  /** Carries a row out, unless the run is ending; `undefined` if that leaves it unsettled. */
  async #send(prepared: PreparedRow<Input>, history: RowHistory): Promise<RowOutcome | undefined> {
    if (this.#reason !== undefined) return undefined
    const maxWaitMs = this.#options.timeoutMs === undefined ? patienceMs : Number.POSITIVE_INFINITY
    try {
      const outcome = await this.#options.action.execute(prepared, history, this.#callOptions(maxWaitMs))
      this.#concurrency.countAnswer()
      return outcome
    } catch (failure) {
      this.#end(stopReason(failure, Math.min(maxWaitMs, this.#deadline.remainingMs())), failure)
      return undefined
    }
  }

  #callOptions(maxWaitMs: number): CallOptions {
    const remainingMs = this.#deadline.remainingMs()
    return {
      signal: this.#abort.signal,
      drain: this.#stop.signal,
      budget: this.#budget,
      timeoutMs: Number.isFinite(remainingMs) ? Math.max(1, remainingMs) : 0,
      attemptTimeoutMs: this.#options.attemptTimeoutMs,
      maxWaitMs,
    }
  }

  async #settle(
    row: number,
    identity: Pick<RowResult, 'clientOrderReference' | 'idempotencyKey'>,
    end: RowOutcome,
  ): Promise<void> {
    const result: RowResult = {
      row,
      ...identity,
      outcome: end.outcome,
      deliveryId: end.deliveryId ?? null,
      status: end.status ?? null,
      error: end.error ?? null,
    }
    this.#tally.countSettled(end.outcome)
    this.#report()
    const isTaken = this.#options.onResult?.(result)
    await this.#record.conclude(result).catch((error) => this.#end('record', error))
    if (isTaken !== undefined) await isTaken
  }

  #end(reason: StopReason, cause?: unknown): void {
    if (this.#reason !== undefined) return
    this.#reason = reason
    this.#cause = cause
    const waitMs = retryAfterOf(cause)
    if (reason === 'wait' && waitMs !== undefined) this.#resumeAt = new Date(this.#clock.nowMs() + waitMs)
    this.#stop.abort()
    this.#stopReading()
  }

  #report(isLast = false): void {
    const { onProgress, rows, pacer } = this.#options
    const nowMs = this.#clock.monotonicMs()
    if (onProgress === undefined || (!isLast && nowMs - this.#reportedMs < 100)) return
    this.#reportedMs = nowMs
    onProgress(this.#tally.progress(rows.reading, pacer, this.#sending.held))
  }
}

function identityOf({ clientOrderReference, idempotencyKey }: PreparedRow<unknown>) {
  return { clientOrderReference, idempotencyKey }
}
