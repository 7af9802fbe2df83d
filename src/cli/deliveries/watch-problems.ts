import type { ArchiveReader } from '../../archive/index.js'
import { type BoardOrder, type BoardRow, boardRow } from '../../render/board-view.js'
import { dayMs } from '../../shared/durations.js'
import { sleep } from '../../shared/sleep.js'
import { judgedOrders, readOrders } from '../board/orders.js'
import type { Judging } from '../report/judging.js'

/** The oldest deliveries that are watched; a board's, too. */
export const watchedMs = 7 * dayMs

interface ProblemWatch {
  /** The archive with what is new. */
  open(): Promise<ArchiveReader>
  localNowMs(): number
  judging: Judging
  intervalMs: number
  signal: AbortSignal
  /** Told of a failure of the service, which is outlasted. */
  onError(error: unknown): void
}

/** A problem, and whether it came after the start. */
interface WatchedProblem {
  row: BoardRow
  isNew: boolean
}

/**
 * Each problem of a delivery once, until the signal. A delivery that gets another problem is told again, and so is one that
 * has a problem again.
 */
export async function* watchProblems(options: ProblemWatch): AsyncGenerator<WatchedProblem> {
  const { open, localNowMs, judging, intervalMs, signal, onError } = options
  let known: ReadonlySet<string> | undefined
  while (!signal.aborted) {
    let found: { orders: BoardOrder[]; nowMs: number } | undefined
    try {
      const archive = await open()
      const nowMs = localNowMs() + archive.clockAheadMs
      found = { orders: judgedOrders(readOrders(archive, nowMs - watchedMs), judging, nowMs), nowMs }
      archive.close()
    } catch (error) {
      if (signal.aborted) return
      onError(error)
    }
    if (found !== undefined) {
      const { orders, nowMs } = found
      const troubled = orders.filter(({ problem }) => problem !== undefined).sort((a, b) => a.sinceMs - b.sinceMs)
      for (const order of troubled)
        if (keysOf(order).some((key) => known?.has(key) !== true))
          yield { row: boardRow(order, nowMs), isNew: known !== undefined }
      known = new Set(troubled.flatMap(keysOf))
    }
    await sleep(intervalMs, signal)
  }
}

/** The problems of a delivery, whatever their age. */
function keysOf({ deliveryId, problem = '' }: BoardOrder): string[] {
  return problem.split(', ').map((text) => `${deliveryId} ${text.replace(/\d+ (?:min|h|d)\b/g, '')}`)
}
