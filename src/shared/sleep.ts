import { setTimeout as wait } from 'node:timers/promises'
import { longestDelayMs } from './durations.js'

/** Resolves after the delay, or as soon as the signal aborts; never rejects. */
export async function sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
  const delay = Math.min(Math.max(Math.ceil(delayMs), 0), longestDelayMs)
  try {
    await wait(delay, undefined, signal === undefined ? {} : { signal })
  } catch (error) {
    if (signal?.aborted !== true) throw error
  }
}
