import type { Clock } from '../../../src/client/index.js'

/** A clock that skips every wait: time passes as usual, and jumps ahead instead of sleeping. */
export interface HurriedClock extends Clock {
  /** The waits that were skipped, in milliseconds. */
  waitsMs: number[]
  /** Moves only the date, as the sleep of a machine does, or somebody who sets the clock. */
  oversleep(sleptMs: number): void
}

export function hurriedClock(): HurriedClock {
  let skippedMs = 0
  let oversleptMs = 0
  const waitsMs: number[] = []
  return {
    waitsMs,
    oversleep(sleptMs) {
      oversleptMs += sleptMs
    },
    nowMs: () => Date.now() + skippedMs + oversleptMs,
    monotonicMs: () => performance.now() + skippedMs,
    async sleep(delayMs) {
      waitsMs.push(delayMs)
      skippedMs += delayMs
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}
