import { setImmediate as nextTurn } from 'node:timers/promises'
import { limits } from '../../contract/index.js'
import type { Engine } from '../shell/engine.js'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** So many rows of a kind are forgotten before requests get a turn. */
const BATCH = 1_000

/** Forgets what the contract no longer keeps, by virtual time: events after 30 days, idempotency keys after 24 hours. */
export class Retention {
  private nextRunAtMs = Number.NEGATIVE_INFINITY

  constructor(private readonly engine: Engine) {}

  /** Does a little of it, at most once a virtual hour while there is nothing left to forget. */
  run(nowMs: number): void {
    if (nowMs < this.nextRunAtMs) return
    const forgotten = this.forget(nowMs)
    this.nextRunAtMs = forgotten < BATCH ? nowMs + HOUR_MS : nowMs
  }

  /** Does all of it, with turns for requests in between, for as long as `goesOn` says so. */
  async runAll(nowMs: number, goesOn: () => boolean): Promise<void> {
    while (goesOn() && this.forget(nowMs) >= BATCH) await nextTurn()
    this.nextRunAtMs = nowMs + HOUR_MS
  }

  /** How many rows were forgotten of the kind that had most. */
  private forget(nowMs: number): number {
    const { store } = this.engine
    const keptSinceMs = nowMs - limits.eventRetentionDays * DAY_MS
    return store.write(() =>
      Math.max(
        store.events.prune(keptSinceMs, BATCH),
        store.idempotency.prune(nowMs - limits.idempotencyRetentionHours * HOUR_MS, BATCH),
        store.quotes.prune(keptSinceMs, BATCH),
      ),
    )
  }
}
