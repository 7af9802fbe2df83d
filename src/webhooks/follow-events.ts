import { sleep as abortableSleep } from '../shared/sleep.js'
import { eventPages } from './event-pages.js'
import type { ListedEvents } from './listed-events.js'
import { lookBack, type PullPosition, repairPosition, serviceTime, startOfListing } from './pull-position.js'

/** Options of following events: the source, the start, and the interval. */
export interface FollowOptions {
  /**
   * The bytes of one page of the service's events since a time (RFC 3339), oldest first.
   *
   * @throws whatever the request fails with
   */
  listEvents(query: {
    /** In RFC 3339. */
    since: string
    /** The `nextCursor` of the page before; absent for the first. */
    cursor?: string
    /** Events on a page at most. */
    limit: number
  }): Promise<Uint8Array>
  /** The time of the service's own clock, in milliseconds since the epoch. */
  serviceNow(): Promise<number>
  /** The position at which an earlier run stopped. */
  position?: PullPosition | undefined
  /**
   * Where to start, on the service's clock; if an earlier run stopped before that, there. Without both it starts at the
   * time of the call, however late the service first answers.
   */
  sinceMs?: number | undefined
  /** Ends after one listing. */
  once?: boolean
  /** Interval of the listings in milliseconds. Default 2,000. */
  intervalMs?: number
  /** Told of how far events have been fetched, after each complete listing. */
  onListed?(position: PullPosition): Promise<void>
  /** Told of a listing that failed: the next one follows after a growing pause. What it throws ends everything. */
  onError(error: unknown): void
  /** Told of what was repaired. */
  onWarning(problem: Error): void
  /** Ends the following when it aborts. */
  signal: AbortSignal
  /** The clock. Default: the system's. */
  clock?: FollowClock
}

/** The times that following needs. */
export interface FollowClock {
  /** Milliseconds since any moment, never set back: pauses are measured with it. */
  monotonicMs(): number
  /** Resolves after this many milliseconds, or when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

const systemFollowClock: FollowClock = { monotonicMs: () => performance.now(), sleep: abortableSleep }

const pageSize = 100

/**
 * The events of the service's list as they appear, page by page; many come again, for an event may become visible late.
 * What counts is the service's clock and not the times that events carry: a listing that has ended has seen all that the
 * service showed when it began. Ends when the signal aborts.
 */
export async function* followEvents(options: FollowOptions): AsyncGenerator<ListedEvents, void, undefined> {
  const { signal, once = false, sinceMs, clock = systemFollowClock, intervalMs = 2_000 } = options
  const serviceNow = serviceTime(options.serviceNow, clock.monotonicMs)
  const looking = lookBack(clock.monotonicMs)
  const startedMs = clock.monotonicMs()
  let position: PullPosition | undefined
  let failures = 0

  const repaired = (found: PullPosition, nowMs: number) => {
    const repair = repairPosition(found, nowMs)
    if (repair !== undefined) options.onWarning(repair.problem)
    return repair?.position ?? found
  }
  const firstPosition = (nowMs: number) => {
    const asked =
      sinceMs ?? (options.position === undefined ? nowMs - (clock.monotonicMs() - startedMs) : Number.POSITIVE_INFINITY)
    const { fromMs, toMs } = repaired(options.position ?? { fromMs: asked, toMs: asked }, nowMs)
    return { fromMs: Math.min(fromMs, asked), toMs: Math.min(toMs, asked) }
  }

  async function* listing() {
    const nowMs = await serviceNow()
    position = position === undefined ? firstPosition(nowMs) : repaired(position, nowMs)
    const since = new Date(startOfListing(position, looking.next(), nowMs)).toISOString()
    const fetchPage = (query: { cursor?: string }) => options.listEvents({ since, limit: pageSize, ...query })
    yield* eventPages(fetchPage, { ...clock, signal })
    if (signal.aborted) return
    looking.done()
    position.toMs = nowMs
    await options.onListed?.(position)
  }

  while (!signal.aborted) {
    try {
      yield* listing()
      failures = 0
    } catch (error) {
      if (signal.aborted) return
      failures++
      options.onError(error)
    }
    if (once) return
    await clock.sleep(followPauseMs(intervalMs, failures), signal)
  }
}

const longestPauseMs = 15_000

/** The pause before the next listing: it doubles with each failure in a row, up to 15 seconds. */
export function followPauseMs(intervalMs: number, failures: number): number {
  return failures === 0 ? intervalMs : Math.max(intervalMs, Math.min(intervalMs * 2 ** failures, longestPauseMs))
}
