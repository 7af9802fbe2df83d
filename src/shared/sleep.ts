import { longestDelayMs } from './durations.js'
import { clearTimeout, setTimeout } from './timers.js'

/** Resolves after the delay, or as soon as the signal aborts; never rejects. */
export function sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
  const delay = Math.min(Math.max(Math.ceil(delayMs), 0), longestDelayMs)
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve()
    const finish = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', finish)
      resolve()
    }
    const timer = setTimeout(finish, delay)
    signal?.addEventListener('abort', finish, { once: true })
  })
}
