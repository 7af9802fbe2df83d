import { type ListenerRecord, matchesType } from '../../listener/index.js'
import { longestDelayMs } from '../../shared/durations.js'
import { parseDurationMs } from '../input/durations.js'
import { parseEventTypePattern } from '../input/event-types.js'
import type { Notices } from '../output/notices.js'

/** The events that a listener waits for before it ends. */
export interface Expectation {
  see(record: ListenerRecord): void
  /** `true` once all have arrived, `false` on a timeout; absent if nothing is expected. */
  met: Promise<boolean> | undefined
  /** Whether the wait has a limit. */
  hasLimit: boolean
  /** The events that are still missing: `expected 2 delivery.failed, got 1`. */
  missing(): string
}

/** The expectation of `--expect`, `--count` and `--within`. */
export function expectationOf(
  flags: {
    expect?: string[] | undefined
    count?: number | undefined
    within?: string | undefined
  },
  notices: Pick<Notices, 'notice'>,
): Expectation {
  const withinMs = flags.within === undefined ? undefined : parseDurationMs(flags.within, '--within')
  const types = flags.expect?.map((type) => parseEventTypePattern(type, '--expect', notices))
  return expectEvents(types, flags.count ?? 1, withinMs)
}

/**
 * Waits for `count` events of each type, which can end with a star; a repeated event is counted once. `withinMs` limits the
 * wait from the ready line on. The timer does not keep the process alive.
 */
function expectEvents(types: readonly string[] | undefined, count: number, withinMs: number | undefined): Expectation {
  if (types === undefined) return { see: () => {}, met: undefined, hasLimit: false, missing: () => '' }
  const left = new Map(types.map((type) => [type, count]))
  let settle = (_met: boolean) => {}
  const met = new Promise<boolean>((resolve) => {
    settle = resolve
  })
  return {
    see(record) {
      if (record.type === 'ready' && withinMs !== undefined)
        setTimeout(settle, Math.min(withinMs, longestDelayMs), false).unref()
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
    missing: () =>
      [...left].map(([type, missing]) => `expected ${count} ${type}, got ${count - missing || 'none'}`).join('; '),
  }
}
