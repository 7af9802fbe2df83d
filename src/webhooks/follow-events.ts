import { ContractError } from '../contract/index.js'
import { oldestSinceMs } from '../contract/internal.js'
import { sleep as abortableSleep } from '../shared/sleep.js'
import { type ListedEvents, readListedEvents } from './listed-events.js'
import {
  forgottenSince,
  lookBack,
  type PullPosition,
  repairPosition,
  serviceTime,
  startOfListing,
} from './pull-position.js'

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
    const forgotten = forgottenSince(position, nowMs)
    if (forgotten !== undefined) {
      options.onWarning(forgotten)
      position.toMs = oldestSinceMs(nowMs)
    }
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

/**
 * The bytes of one page of `GET /events`, oldest event first.
 *
 * @throws whatever the request fails with
 */
export type FetchEventPage = (query: {
  /** The `nextCursor` of the page before. */
  cursor?: string
}) => Promise<Uint8Array>

/** Options of listing events. */
export interface EventPagesOptions {
  /** Ends the listing. */
  signal?: AbortSignal | undefined
  /** Minimum interval between requests in milliseconds. Default 50: at most 20 a second, whatever the allowance is. */
  requestGapMs?: number
  /** Monotonic time in milliseconds. */
  monotonicMs?: () => number
  /** Waits; ends early if the signal aborts. */
  sleep?: (ms: number, signal?: AbortSignal) => Promise<void>
}

/** Pages in a row without an event that is new to the listing. */
const fruitlessPagesMax = 3
/** Minimum number of previous ids and cursors that are compared with the next one, to detect a loop. */
const rememberedMax = 10_000

/**
 * The pages of one listing of events, in the service's order. Ends when the signal aborts.
 *
 * @throws ContractError if the listing would never end: a cursor comes back, or page after page holds nothing new
 */
export async function* eventPages(
  fetchPage: FetchEventPage,
  options: EventPagesOptions = {},
): AsyncGenerator<ListedEvents, void, undefined> {
  const { signal, requestGapMs = 50, monotonicMs = () => performance.now(), sleep = abortableSleep } = options
  const ids = recent()
  const cursors = recent()
  let cursor: string | undefined
  let fruitless = 0
  let nextAtMs = Number.NEGATIVE_INFINITY
  while (!signal?.aborted) {
    const waitMs = nextAtMs - monotonicMs()
    if (waitMs > 0) await sleep(waitMs, signal)
    if (signal?.aborted) return
    nextAtMs = monotonicMs() + requestGapMs
    const page = readListedEvents(await fetchPage(cursor === undefined ? {} : { cursor }))
    yield page
    if (page.nextCursor === undefined) return
    const isFruitless = page.events.filter(({ eventId }) => ids.add(eventId)).length === 0
    fruitless = isFruitless ? fruitless + 1 : 0
    if (!cursors.add(page.nextCursor)) throw endless('gave the same cursor twice')
    if (fruitless >= fruitlessPagesMax) throw endless(`gave ${fruitlessPagesMax} pages in a row with nothing new`)
    cursor = page.nextCursor
  }
}

/** Texts that were added, at least the newest 10,000; `add` says whether a text was not among them. */
function recent(): { add(text: string): boolean } {
  let texts = new Set<string>()
  let older = texts
  return {
    add(text) {
      const isNew = !texts.has(text) && !older.has(text)
      if (texts.size >= rememberedMax) [texts, older] = [new Set(), texts]
      texts.add(text)
      return isNew
    },
  }
}

function endless(why: string): ContractError {
  return new ContractError(`GET /events ${why}: the list would never end`, {
    operation: 'listEvents',
    issues: [`nextCursor: ${why}`],
  })
}
