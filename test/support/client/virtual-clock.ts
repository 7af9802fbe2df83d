import { setImmediate as turn } from 'node:timers/promises'
import type { Clock } from '../../../src/client/index.js'

/** A clock that moves only when told, to the next sleeper at once. */
export interface VirtualClock extends Clock {
  /** Lets time pass until nobody sleeps or the given time has come. */
  runUntil(monotonicMs: number): Promise<void>
  /** Lets time pass until the promise is settled, and gives what it gave. */
  runFor<Value>(promise: Promise<Value>): Promise<Value>
}

/** Starts at `epochMs` (a date) and 0 ticks. `lateMs` delays each waking, as real timers do. */
export function virtualClock(epochMs = Date.UTC(2026, 2, 2, 15), lateMs: () => number = () => 0): VirtualClock {
  let nowMs = 0
  const sleepers = new Set<{ atMs: number; wake: () => void }>()

  async function step(limitMs: number): Promise<boolean> {
    await turn()
    const next = [...sleepers].reduce<{ atMs: number; wake: () => void } | undefined>(
      (first, sleeper) => (first === undefined || sleeper.atMs < first.atMs ? sleeper : first),
      undefined,
    )
    if (next === undefined || next.atMs > limitMs) return false
    nowMs = Math.max(nowMs, next.atMs)
    sleepers.delete(next)
    next.wake()
    return true
  }

  return {
    nowMs: () => epochMs + nowMs,
    monotonicMs: () => nowMs,
    sleep(delayMs, signal) {
      if (signal?.aborted) return Promise.resolve()
      return new Promise((resolve) => {
        const sleeper = { atMs: nowMs + Math.max(0, delayMs) + lateMs(), wake: resolve }
        sleepers.add(sleeper)
        signal?.addEventListener('abort', () => {
          sleepers.delete(sleeper)
          resolve()
        })
      })
    },
    async runUntil(monotonicMs) {
      while (await step(monotonicMs));
      nowMs = Math.max(nowMs, monotonicMs)
      await turn()
    },
    async runFor(promise) {
      let isSettled = false
      const settled = promise.finally(() => {
        isSettled = true
      })
      settled.catch(() => undefined)
      for (let idle = 0; !isSettled; ) {
        if (await step(Number.POSITIVE_INFINITY)) idle = 0
        else if (++idle > 1_000) throw new Error('Nobody sleeps, and the promise is not settled')
      }
      return settled
    },
  }
}
