import { UsageError } from '../../contract/index.js'
import type { CallOptions } from '../client.js'
import { type Clock, systemClock } from '../clock.js'
import { startDeadline } from '../deadline.js'
import type { Pacer } from '../pacer.js'
import { retryAfterOf } from '../retry.js'
import { createRetryBudget } from '../retry-budget.js'
import { type Counts, isThere, noCounts, type RowResult } from './outcome.js'
import { createRateMeter, estimateMs, type Progress } from './progress.js'
import { endedBy, type PreparedRow, type RowAction, type RowEnd } from './row-action.js'
import type { InputRow } from './row-source.js'
import type { RowState } from './row-states.js'
import type { Rows } from './rows.js'
import { openRunRecord, type RunRecord } from './run-record.js'
import type { RunSummary } from './run-summary.js'
import { type StopReason, stopReason } from './stop-reason.js'

export interface RunOptions<Input> {
  rows: Rows
  action: RowAction<Input>
  /** Results and record of the run; an interrupted run goes on from it. */
  resultsFile: string
  profile: string
  /** The pacer of the client that the action uses. */
  pacer: Pacer
  /** Requests in flight at most. Default 64; fewer where the allowed rate needs fewer. */
  concurrency?: number | undefined
  /** The whole run; without it a single wait of more than 5 minutes pauses the run. */
  timeoutMs?: number | undefined
  attemptTimeoutMs?: number | undefined
  /** Ends the run in order: nothing new is sent, what is in flight is awaited and recorded. */
  signal?: AbortSignal | undefined
  /** Ends it at once: what is in flight is given up and settled when the run is resumed. */
  abortSignal?: AbortSignal | undefined
  /** Each row that is settled in this run, in the order of settling. */
  onResult?: ((result: RowResult) => void) | undefined
  /** At most ten times a second, and at the end. */
  onProgress?: ((progress: Progress) => void) | undefined
  clock?: Clock | undefined
}

/** The longest single wait in a run without a time limit. */
const patienceMs = 300_000
/** A key older than this may be forgotten by the service before the request arrives: it keeps them for 24 h. */
const keyLifeSeconds = 23 * 3_600

/**
 * Carries out an action for each row, many at a time, at the rate that the service allows. Each row's intent is on the
 * disk before it is sent and its outcome after it; run again with the same results file, it goes on where it was.
 *
 * @throws UsageError where the input or the results file cannot be used
 */
export async function run<Input>(options: RunOptions<Input>): Promise<RunSummary> {
  const record = await openRunRecord(options.resultsFile, {
    operation: options.action.operation,
    profile: options.profile,
  })
  try {
    return await new Run(options, record).toTheEnd()
  } finally {
    await record.close().catch((error: unknown) => {
      if (record.failure() === undefined) throw error
    })
  }
}

class Run<Input> {
  readonly #options: RunOptions<Input>
  readonly #record: RunRecord
  readonly #clock: Clock
  readonly #stop = new AbortController()
  readonly #budget = createRetryBudget()
  readonly #inFlight = new Set<Promise<void>>()
  readonly #counts: Counts = noCounts()
  readonly #meter
  readonly #deadline
  #reason: StopReason | undefined
  #cause: unknown
  #resumeAt: Date | undefined
  #rowsRead = 0
  #settled = 0
  #left = 0
  #earlier = 0
  #reportedMs = Number.NEGATIVE_INFINITY

  constructor(options: RunOptions<Input>, record: RunRecord) {
    this.#options = options
    this.#record = record
    this.#clock = options.clock ?? systemClock
    this.#meter = createRateMeter(this.#clock)
    this.#deadline = startDeadline(this.#clock, options.timeoutMs ?? 0)
  }

  async toTheEnd(): Promise<RunSummary> {
    const { signal, abortSignal } = this.#options
    const interrupt = () => this.#end('interrupted')
    for (const each of [signal, abortSignal]) {
      if (each?.aborted) interrupt()
      each?.addEventListener('abort', interrupt, { once: true })
    }
    try {
      for await (const row of this.#options.rows) {
        if (this.#reason !== undefined) break
        this.#rowsRead++
        await this.#take(row)
      }
    } catch (error) {
      this.#end('interrupted')
      throw error
    } finally {
      await Promise.all(this.#inFlight)
      for (const each of [signal, abortSignal]) each?.removeEventListener('abort', interrupt)
    }
    if (this.#reason === undefined) await this.#record.complete().catch((error) => this.#end('record', error))
    this.#report(true)
    return {
      counts: this.#counts,
      earlier: this.#earlier,
      left: this.#left,
      stopped: this.#reason,
      cause: this.#cause,
      resumeAt: this.#resumeAt,
    }
  }

  /** Takes a row up as soon as there is room for it. */
  async #take(row: InputRow): Promise<void> {
    const prepared = this.#prepare(row)
    if (prepared === undefined) return
    const state = this.#record.stateOf(row.row, prepared.bodyHash)
    if (this.#isSettled(state)) {
      this.#earlier++
      this.#counts[state.outcome]++
      this.#report()
      return
    }
    while (this.#inFlight.size >= this.#room()) await Promise.race(this.#inFlight)
    if (this.#reason !== undefined) {
      this.#left++
      return
    }
    const work = this.#carryOut(row.row, prepared, state).finally(() => this.#inFlight.delete(work))
    this.#inFlight.add(work)
  }

  /** Whether an earlier run has settled a row. What it refused is tried again once that run has come to its end. */
  #isSettled(state: RowState | undefined): state is RowState & { outcome: NonNullable<RowState['outcome']> } {
    if (state?.outcome === undefined || state.outcome === 'unknown') return false
    return isThere(state.outcome) || !this.#record.wasComplete
  }

  #prepare(row: InputRow): PreparedRow<Input> | undefined {
    try {
      if ('problem' in row) throw new UsageError(row.problem)
      return this.#options.action.prepare(row.value)
    } catch (error) {
      const identity = { clientOrderReference: null, idempotencyKey: null }
      void this.#settle(row.row, identity, endedBy(error))
      return undefined
    }
  }

  /** As many requests in flight as the allowed rate takes at the present latency, with something to spare. */
  #room(): number {
    const most = Math.max(1, this.#options.concurrency ?? 64)
    const perSecond = this.#options.pacer.allowedPerSecond()
    const latencyMs = this.#options.pacer.meanLatencyMs()
    if (perSecond === undefined || latencyMs === undefined) return most
    return Math.min(most, Math.ceil((perSecond * latencyMs * 2) / 1_000) + 4)
  }

  async #carryOut(row: number, prepared: PreparedRow<Input>, state: RowState | undefined): Promise<void> {
    const wasSent = state !== undefined && state.intendedAtSeconds > 0
    const nowMs = this.#clock.nowMs()
    try {
      if (!wasSent)
        await this.#record.intend({ row, ...identityOf(prepared), bodyHash: prepared.bodyHash }, new Date(nowMs))
    } catch (error) {
      this.#left++
      this.#end('record', error)
      return
    }
    if (this.#reason !== undefined) {
      this.#left++
      return
    }
    const isKeyForgotten = wasSent && nowMs / 1_000 - state.intendedAtSeconds > keyLifeSeconds
    const maxWaitMs = this.#options.timeoutMs === undefined ? patienceMs : Number.POSITIVE_INFINITY
    try {
      const end = await this.#options.action.carryOut(
        prepared,
        { wasSent, isKeyForgotten },
        this.#callOptions(maxWaitMs),
      )
      await this.#settle(row, identityOf(prepared), end)
    } catch (failure) {
      this.#left++
      this.#end(stopReason(failure, Math.min(maxWaitMs, this.#deadline.remainingMs())), failure)
    }
    if (this.#budget.isSpent()) this.#end('outage')
  }

  #callOptions(maxWaitMs: number): CallOptions {
    const remainingMs = this.#deadline.remainingMs()
    return {
      signal: this.#options.abortSignal,
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
    end: RowEnd,
  ): Promise<void> {
    const result: RowResult = {
      row,
      ...identity,
      outcome: end.outcome,
      deliveryId: end.deliveryId ?? null,
      status: end.status ?? null,
      error: end.error ?? null,
    }
    this.#counts[end.outcome]++
    this.#settled++
    this.#meter.count()
    this.#options.onResult?.(result)
    this.#report()
    await this.#record.conclude(result).catch((error) => this.#end('record', error))
  }

  #end(reason: StopReason, cause?: unknown): void {
    if (this.#reason !== undefined) return
    this.#reason = reason
    this.#cause = cause
    const waitMs = retryAfterOf(cause)
    if (reason === 'wait' && waitMs !== undefined) this.#resumeAt = new Date(this.#clock.nowMs() + waitMs)
    this.#stop.abort()
  }

  #report(isLast = false): void {
    const { onProgress, rows, pacer } = this.#options
    const nowMs = this.#clock.ticksMs()
    if (onProgress === undefined || (!isLast && nowMs - this.#reportedMs < 100)) return
    this.#reportedMs = nowMs
    const perSecond = this.#meter.perSecond()
    const inFlight = this.#inFlight.size
    onProgress({
      done: this.#earlier + this.#settled,
      failed: this.#counts.failed + this.#counts.conflict + this.#counts.unknown,
      inFlight,
      perSecond,
      etaMs: estimateMs(rows.reading, this.#rowsRead, inFlight, perSecond),
      waitingMs: pacer.heldForMs(),
    })
  }
}

function identityOf({ clientOrderReference, idempotencyKey }: PreparedRow<unknown>) {
  return { clientOrderReference, idempotencyKey }
}
