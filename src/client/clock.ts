import { setTimeout as wait } from 'node:timers/promises'
import { longestDelayMs } from '../contract/index.js'

/** Time as the client sees it; injected in tests, so that none of them sleeps. */
export interface Clock {
  /** Milliseconds since the epoch: for dates that the service sends. */
  nowMs(): number
  /** Milliseconds of a clock that no one sets: for deadlines and pacing. Stands still while the machine sleeps. */
  ticksMs(): number
  /** Resolves after the delay, or as soon as the signal aborts; never rejects. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  ticksMs: () => performance.now(),
  async sleep(delayMs, signal) {
    const delay = Math.min(Math.max(Math.ceil(delayMs), 0), longestDelayMs)
    try {
      await wait(delay, undefined, signal === undefined ? {} : { signal })
    } catch (error) {
      if (signal?.aborted !== true) throw error
    }
  },
}
