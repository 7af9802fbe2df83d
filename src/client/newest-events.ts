import { type EventRecord, limits, type Time, timeMs } from '../contract/index.js'
import { hourMs } from '../shared/durations.js'
import type { Client } from './client.js'
import type { QueryOf } from './pages.js'

type EventQuery = QueryOf<'listEvents'>

/** Events of a span that are held at once: the service lists the oldest first, so that a span is read before it is shown. */
const heldEvents = 5_000
/** A span is chosen so that it has about as many. */
const eventsInSpan = 1_000
const shortestSpanMs = 1_000

/**
 * Past events, newest first, in flat memory: spans of time from the end of the query to its start, each read whole. Where
 * one page holds them all, that is the only request.
 *
 * @param wanted the number of events that will be taken, if it is known
 * @param nowMs asks for the service's time
 */
export async function* newestFirst(
  client: Pick<Client, 'each' | 'listEvents'>,
  query: EventQuery,
  { wanted, nowMs }: { wanted: number; nowMs(): Promise<number> },
): AsyncGenerator<EventRecord> {
  const limit = limits.pageSizeMax
  const first = await client.listEvents({ query: { ...query, limit } })
  if (first.nextCursor == null || first.nextCursor === '') {
    yield* first.events.toReversed()
    return
  }
  const startedMs = await nowMs()
  const startMs = timeOf(query.since) ?? startedMs - limits.eventsDefaultSinceHours * hourMs
  let until = query.until
  let endMs = timeOf(until) ?? startedMs
  let spanMs = Math.max(shortestSpanMs, spanOf(first.events))
  const target = Math.min(eventsInSpan, Math.max(limit, wanted))
  while (endMs > startMs) {
    const sinceMs = Math.max(startMs, endMs - spanMs)
    const span = { ...query, limit, until }
    const count = yield* spanNewestFirst(client, span, sinceMs)
    spanMs = Math.max(shortestSpanMs, (endMs - sinceMs) * Math.min(3, Math.max(1 / 8, target / (count + 1))))
    endMs = sinceMs
    until = new Date(sinceMs).toISOString()
  }
}

/**
 * The events of a query from `sinceMs` on, newest first, and their number. If there are too many to hold, notes the
 * times at which parts begin, and reads all parts but the last again.
 */
async function* spanNewestFirst(
  client: Pick<Client, 'each'>,
  query: EventQuery,
  sinceMs: number,
): AsyncGenerator<EventRecord, number> {
  const starts = [new Date(sinceMs).toISOString()]
  let part: EventRecord[] = []
  let count = 0
  for await (const event of client.each('listEvents', { ...query, since: starts[0] })) {
    // A part ends between two events of different times.
    if (part.length >= heldEvents && event.occurredAt !== part.at(-1)?.occurredAt) {
      starts.push(event.occurredAt)
      part = []
    }
    part.push(event)
    count++
  }
  yield* part.reverse()
  for (let at = starts.length - 2; at >= 0; at--) {
    const events: EventRecord[] = []
    const [since, until] = starts.slice(at)
    for await (const event of client.each('listEvents', { ...query, since, until })) events.push(event)
    yield* events.reverse()
  }
  return count
}

function timeOf(time: Time | undefined): number | undefined {
  const atMs = time === undefined ? Number.NaN : timeMs(time)
  return Number.isNaN(atMs) ? undefined : atMs
}

/** The time between the first and the last of some events, which says how dense they are. */
function spanOf(events: readonly EventRecord[]): number {
  const [first, last] = [timeOf(events[0]?.occurredAt), timeOf(events.at(-1)?.occurredAt)]
  return first === undefined || last === undefined ? 0 : last - first
}
