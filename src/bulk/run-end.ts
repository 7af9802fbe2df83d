import type { Clock } from '../client/index.js'
import { retryAfterOf } from '../client/internal.js'
import { type StopReason, stopReason } from './stop-reason.js'

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
