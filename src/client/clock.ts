import { sleep } from '../shared/sleep.js'

/** Time as the client sees it; injected in tests, so that none of them sleeps. */
export interface Clock {
  /** Milliseconds since the epoch: for dates that the service sends. */
  nowMs(): number
  /** Milliseconds of a clock that no one sets: for deadlines and pacing. Stands still while the machine sleeps. */
  monotonicMs(): number
  /** Resolves after the delay, or as soon as the signal aborts; never rejects. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>
}

/** The clock of this machine. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  // `performance` would load the whole of `node:perf_hooks`.
  monotonicMs() {
    const [seconds, nanoseconds] = process.hrtime()
    return seconds * 1e3 + nanoseconds / 1e6
  },
  sleep,
}
