import type { Clock } from '../client/index.js'
import type { ReadingState } from './input/row-source.js'

/** How a run stands. */
export interface Progress {
  /** Rows that are settled, those of earlier runs included. */
  done: number
  /** Rows that failed. */
  failed: number
  /** Rows that are being sent. */
  inFlight: number
  /** Rows settled a second, over the last seconds. */
  perSecond: number
  /** Rows of the input; `undefined` if the input's length is not known. */
  total: number | undefined
  /** Whether `total` is guessed from the length of the rows read, because there are more to read. */
  isTotalEstimated: boolean
  /** Milliseconds to the end; `undefined` if the input's length is not known. */
  etaMs: number | undefined
  /** Milliseconds for which the service has asked everyone to wait; 0 if it has not. */
  waitingMs: number
  /** The limit that holds requests back now, such as `20/s`; `undefined` if none does. */
  limit: string | undefined
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
  const startedMs = clock.monotonicMs()
  let current = 0

  function advance(): void {
    const slot = Math.floor((clock.monotonicMs() - startedMs) / (spanMs / slots))
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
      const elapsedMs = Math.min(spanMs, Math.max(500, clock.monotonicMs() - startedMs))
      return counts.reduce((sum, count) => sum + count, 0) / (elapsedMs / 1_000)
    },
  }
}

/** Rows of the whole input, those that are not read yet taken to be as long as those read. */
export function estimateRows({ bytesRead, bytesTotal, rowsRead }: ReadingState, taken: number): number | undefined {
  if (bytesTotal === undefined || bytesRead === 0) return undefined
  return Math.max(taken, Math.round((rowsRead * bytesTotal) / bytesRead))
}
