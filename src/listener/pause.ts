import { setTimeout as sleep } from 'node:timers/promises'
import { longestDelayMs } from '../contract/index.js'

/** Resolves after the delay, or as soon as the signal aborts; never rejects. */
export function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  return sleep(Math.min(delayMs, longestDelayMs), undefined, { signal }).catch(() => {
    // Woken by the signal, which the caller looks at itself.
  })
}
