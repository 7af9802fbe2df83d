import { setImmediate as nextTurn } from 'node:timers/promises'
import { limits } from '../../contract/index.js'
import { dayMs, hourMs } from '../../shared/durations.js'
import type { Engine } from '../engine/engine.js'

/** Maximum number of rows of a kind to delete before requests get a turn. */
const BATCH = 1_000

/** Forgets what the contract no longer keeps, by virtual time: events after 30 days, idempotency keys after 24 hours. */
export class Retention {
  private nextRunAtMs = Number.NEGATIVE_INFINITY

  constructor(private readonly engine: Engine) {}

  /** Does a little of it, at most once a virtual hour while there is nothing left to forget. */
  run(nowMs: number): void {
    if (nowMs < this.nextRunAtMs) return
    const forgotten = this.forget(nowMs)
    this.nextRunAtMs = forgotten < BATCH ? nowMs + hourMs : nowMs
  }

  /** Does all of it, with turns for requests in between, for as long as `goesOn` says so. */
  async runAll(nowMs: number, goesOn: () => boolean): Promise<void> {
    while (goesOn() && this.forget(nowMs) >= BATCH) await nextTurn()
    this.nextRunAtMs = nowMs + hourMs
  }

  /** Number of rows deleted of the kind that had most. */
  private forget(nowMs: number): number {
    const { store } = this.engine
    const keptSinceMs = nowMs - limits.eventRetentionDays * dayMs
    return store.write(() =>
      Math.max(
        // A listing that began in time gets its other pages.
        store.events.prune(keptSinceMs - hourMs, BATCH),
        store.idempotency.prune(nowMs - limits.idempotencyRetentionHours * hourMs, BATCH),
        store.quotes.prune(keptSinceMs, BATCH),
      ),
    )
  }
}
