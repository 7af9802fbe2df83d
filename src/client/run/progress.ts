import type { Clock } from '../clock.js'
import type { ReadingState } from './row-source.js'

/** How a run stands. */
export interface Progress {
  /** Rows that are settled, those of earlier runs included. */
  done: number
  failed: number
  inFlight: number
  /** Rows settled a second, over the last seconds. */
  perSecond: number
  /** Milliseconds to the end; `undefined` where the input's length is not known. */
  etaMs: number | undefined
  /** Milliseconds for which the service has asked everyone to wait; 0 where it has not. */
  waitingMs: number
}

/** Settled rows over the last seconds. */
export interface RateMeter {
  count(): void
  perSecond(): number
}

const spanMs = 10_000
const slots = 20

export function createRateMeter(clock: Clock): RateMeter {
  const counts = new Array<number>(slots).fill(0)
  const startedMs = clock.ticksMs()
  let current = 0

  function advance(): void {
    const slot = Math.floor((clock.ticksMs() - startedMs) / (spanMs / slots))
    for (let each = Math.max(current + 1, slot - slots + 1); each <= slot; each++) counts[each % slots] = 0
    current = Math.max(current, slot)
  }

  return {
    count() {
      advance()
      const at = current % slots
      counts[at] = (counts[at] ?? 0) + 1
    },
    perSecond() {
      advance()
      const elapsedMs = Math.min(spanMs, Math.max(500, clock.ticksMs() - startedMs))
      return counts.reduce((sum, count) => sum + count, 0) / (elapsedMs / 1_000)
    },
  }
}

/** The rest of the input at the present rate, its rows taken to be as long as those read. */
export function estimateMs(
  reading: ReadingState,
  rowsRead: number,
  open: number,
  perSecond: number,
): number | undefined {
  const { bytesRead, bytesTotal } = reading
  if (bytesTotal === undefined || bytesRead === 0 || perSecond === 0) return undefined
  const unread = (rowsRead * Math.max(0, bytesTotal - bytesRead)) / bytesRead
  return ((unread + open) / perSecond) * 1_000
}
