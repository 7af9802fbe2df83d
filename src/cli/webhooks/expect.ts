import { longestDelayMs } from '../../contract/index.js'
import { type ListenerRecord, matchesType } from '../../listener/index.js'
import { parseDurationMs } from '../input/durations.js'

/** What a listener waits for before it ends by itself. */
export interface Expectation {
  see(record: ListenerRecord): void
  /** `true` when all came, `false` when the time was over; absent where nothing is expected. */
  met: Promise<boolean> | undefined
  /** Whether there is a limit to the wait. */
  hasLimit: boolean
  /** What has not come, in words. */
  missing(): string
}

/** What `--expect`, `--count` and `--within` ask for. */
export function expectationOf(flags: {
  expect?: string[] | undefined
  count?: number | undefined
  within?: string | undefined
}): Expectation {
  const withinMs = flags.within === undefined ? undefined : parseDurationMs(flags.within, '--within')
  return expectEvents(flags.expect, flags.count ?? 1, withinMs)
}

/**
 * Waits for events of every given type (with a star for any ending), so many of each, an event counted once. `withinMs`
 * limits the wait, from now on; the timer keeps no process alive.
 */
function expectEvents(types: readonly string[] | undefined, count: number, withinMs: number | undefined): Expectation {
  if (types === undefined) return { see: () => {}, met: undefined, hasLimit: false, missing: () => '' }
  const left = new Map(types.map((type) => [type, count]))
  let settle = (_met: boolean) => {}
  const met = new Promise<boolean>((resolve) => {
    settle = resolve
    if (withinMs !== undefined) setTimeout(() => resolve(false), Math.min(withinMs, longestDelayMs)).unref()
  })
  return {
    see(record) {
      if (record.type !== 'event' || record.duplicate) return
      for (const [type, missing] of left) {
        if (!matchesType([type], record.eventType ?? undefined)) continue
        if (missing > 1) left.set(type, missing - 1)
        else left.delete(type)
      }
      if (left.size === 0) settle(true)
    },
    met,
    hasLimit: withinMs !== undefined,
    missing: () => [...left].map(([type, missing]) => `${missing} × ${type}`).join(', '),
  }
}
