import { hash } from 'node:crypto'
import { sleep } from '../../../shared/sleep.js'
import type { Availability } from './availability.js'
import { lockClasses } from './schema.js'
import type { Sessions } from './sessions.js'

/** Processes items in batches: while one batch is under way, the items of the next one gather. `run` must not reject. */
export function batcher<Item, Result>(
  run: (batch: readonly Item[]) => Promise<(item: Item) => Result>,
): (item: Item) => Promise<Result> {
  const waiting: { item: Item; resolve(result: Result): void }[] = []
  let isRunning = false
  const work = async () => {
    while (waiting.length > 0) {
      const batch = waiting.splice(0)
      const resultOf = await run(batch.map(({ item }) => item))
      for (const { item, resolve } of batch) resolve(resultOf(item))
    }
    isRunning = false
  }
  return (item) =>
    new Promise((resolve) => {
      waiting.push({ item, resolve })
      if (isRunning) return
      isRunning = true
      setImmediate(work)
    })
}

/** Work that is done soon after somebody asked for it, and once however often that was. */
interface Coalesced {
  ask(): void
  /** Resolves once the work is over, when nobody asks any more. */
  idle(): Promise<void>
}

/**
 * Coalesces requests for work that may fail: it is only a help.
 *
 * @param everyMs the least time between two runs
 */
export function coalesced(everyMs: number, signal: AbortSignal, run: () => Promise<unknown>): Coalesced {
  let running: Promise<void> | undefined
  let isDue = false
  const loop = async () => {
    while (isDue && !signal.aborted) {
      isDue = false
      await run().catch(() => {})
      await sleep(everyMs, signal)
    }
    running = undefined
  }
  return {
    ask() {
      isDue = true
      if (!signal.aborted) running ??= loop()
    },
    idle: async () => running,
  }
}

const heartbeatMs = 1_000
/** The server ends a session that was silent for this long; soon after, another process leads. */
const leaseMs = 10_000

/**
 * Waits until this process is the leader for a name, by a lock of a session that the server ends without heartbeats.
 *
 * @returns a signal that aborts when it is the leader no more
 */
export async function becomeLeader(
  sessions: Sessions,
  state: Availability,
  name: string,
  signal: AbortSignal,
): Promise<AbortSignal> {
  const lost = new AbortController()
  const key = Buffer.from(hash('sha256', name), 'hex').readInt32BE(0)
  const tryLock = `SELECT pg_try_advisory_lock(${lockClasses.leaders}, ${key}) AS locked`
  while (!signal.aborted) {
    try {
      const connection = await sessions.connect(`leader of ${name}`, {
        settings: { idle_session_timeout: `${leaseMs}ms` },
      })
      connection.onLost(() => lost.abort())
      const isLocked = async () => (await connection.query(tryLock))[0]?.locked === true
      while (!signal.aborted && !(await isLocked())) await sleep(heartbeatMs, signal)
      if (signal.aborted) connection.destroy()
      else void keepAlive(() => connection.query('SELECT 1'), signal).finally(() => connection.destroy())
      return lost.signal
    } catch (error) {
      state.failed(error)
      await sleep(heartbeatMs, signal)
      await state.whenUp(signal)
    }
  }
  lost.abort()
  return lost.signal
}

/** Ends with the lease. A process that was stopped notices by its clock, before it has heard from the server. */
async function keepAlive(beat: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
  let sentAtMs = performance.now()
  while (!signal.aborted && performance.now() - sentAtMs < leaseMs) {
    sentAtMs = performance.now()
    try {
      await beat()
    } catch {
      return
    }
    await sleep(heartbeatMs, signal)
  }
}
