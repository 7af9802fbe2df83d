import type { Clock } from '../client/index.js'
import { retryAfterOf } from '../client/internal.js'
import type { RunOptions } from './options.js'
import { type RowResult, type StopReason, stopReason } from './outcome.js'
import type { RunRecord } from './record/run-record.js'

/** Why a run ends before its last row: the first reason counts. */
export class RunEnd {
  reason: StopReason | undefined
  cause: unknown
  resumeAt: Date | undefined
  /** A failure that is neither the service's fault nor the network's. */
  defect: { error: unknown } | undefined
  readonly #stop = new AbortController()

  constructor(private readonly clock: Pick<Clock, 'nowMs'>) {}

  /** Aborts when the run has to end: what is in flight comes to its end, nothing else begins. */
  get signal(): AbortSignal {
    return this.#stop.signal
  }

  by(reason: StopReason, cause?: unknown): void {
    if (this.reason !== undefined) return
    this.reason = reason
    this.cause = cause
    const waitMs = retryAfterOf(cause)
    if (reason === 'wait' && waitMs !== undefined) this.resumeAt = new Date(this.clock.nowMs() + waitMs)
    this.#stop.abort()
  }

  /** Ends the run by a failure that concerns more than its row. */
  byFailure(failure: unknown, maxWaitMs: number, leftMs: number): void {
    try {
      this.by(stopReason(failure, maxWaitMs, leftMs), failure)
    } catch (error) {
      this.byDefect(error)
    }
  }

  byDefect(error: unknown): void {
    this.defect ??= { error }
    this.by('interrupted')
  }
}

/** Passes results to the record and to `onResult`, and counts those that are still being processed. */
export class Results {
  /** Results that are being written, or processed by `onResult`. */
  waiting = 0

  constructor(
    private readonly record: Pick<RunRecord, 'complete'>,
    private readonly onResult: RunOptions<never>['onResult'],
    private readonly on: {
      /** Called when a result has been processed. */
      taken(): void
      unwritten(error: unknown): void
      unread(error: unknown): void
    },
  ) {}

  add(result: RowResult): void {
    this.#await(this.record.complete(result), this.on.unwritten)
    try {
      const reading = this.onResult?.(result)
      if (isPromise(reading)) this.#await(reading, this.on.unread)
    } catch (error) {
      this.on.unread(error)
    }
  }

  #await(taking: PromiseLike<unknown>, onFailure: (error: unknown) => void): void {
    this.waiting++
    const end = () => {
      this.waiting--
      this.on.taken()
    }
    taking.then(end, (error: unknown) => {
      onFailure(error)
      end()
    })
  }
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value
}
