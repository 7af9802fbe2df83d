import { ContractError } from '../contract/index.js'
import { sleep as abortableSleep } from '../shared/sleep.js'
import { type ListedEvents, readListedEvents } from './listed-events.js'

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
