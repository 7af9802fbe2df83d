import type { Clock } from '../../src/client/index.js'

/** A clock that skips every wait: time goes on as it does, and jumps ahead instead of sleeping. */
export interface HurriedClock extends Clock {
  /** The waits that were skipped, in milliseconds. */
  waitsMs: number[]
}

export function hurriedClock(): HurriedClock {
  let skippedMs = 0
  const waitsMs: number[] = []
  return {
    waitsMs,
    nowMs: () => Date.now() + skippedMs,
    ticksMs: () => performance.now() + skippedMs,
    async sleep(delayMs) {
      waitsMs.push(delayMs)
      skippedMs += delayMs
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}
