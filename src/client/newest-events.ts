import { type EventRecord, limits, type Time, timeMs } from '../contract/index.js'
import { hourMs } from '../shared/durations.js'
import type { Client } from './client.js'
import type { CallOptions } from './options.js'
import type { QueryOf } from './pages.js'

type EventQuery = QueryOf<'listEvents'>

/** The number of events that a span is chosen to have. The service lists the oldest first: a span is read, then shown. */
const eventsInSpan = 1_000
/** A span of more events than this many times the number aimed at is given up for a shorter one. */
const mostTooMany = 2
/** Events of one millisecond are read together, however many they are. */
const shortestSpanMs = 1

/**
 * Past events, newest first, in flat memory: spans of time from the end of the query to its start, each read whole. Where
 * one page holds them all, that is the only request.
 *
 * @param wanted the number of events that will be taken, if it is known
 * @param nowMs asks for the service's time
 * @param options those of each request
 */
export async function* newestFirst(
  client: Pick<Client, 'listEvents' | 'pages'>,
  query: EventQuery,
  { wanted, nowMs, options }: { wanted: number; nowMs(): Promise<number>; options?: CallOptions | undefined },
): AsyncGenerator<EventRecord> {
  const limit = limits.pageSizeMax
  const first = await client.listEvents({ query: { ...query, limit } }, options)
  if (first.nextCursor == null || first.nextCursor === '') {
    yield* first.events.toReversed()
    return
  }
  const startedMs = await nowMs()
  const startMs = timeOf(query.since) ?? startedMs - limits.eventsDefaultSinceHours * hourMs
  let endMs = timeOf(query.until) ?? startedMs
  let until = query.until
  let spanMs = Math.max(shortestSpanMs, spanOf(first.events))
  const target = Math.min(eventsInSpan, Math.max(limit, wanted))
  while (endMs > startMs) {
    const sinceMs = Math.max(startMs, endMs - spanMs)
    const span = { ...query, limit, since: new Date(sinceMs).toISOString(), until }
    const most = endMs - sinceMs > shortestSpanMs ? target * mostTooMany : Number.POSITIVE_INFINITY
    const { events, expected } = await readSpan(client, span, { endMs, most, options })
    const factor = target / (expected + 1)
    if (events === undefined) {
      const shorterMs = (endMs - sinceMs) * Math.min(1 / 2, Math.max(1 / 16, factor))
      spanMs = Math.max(shortestSpanMs, Math.floor(shorterMs))
      continue
    }
    yield* events.reverse()
    spanMs = Math.max(shortestSpanMs, (endMs - sinceMs) * Math.min(3, factor))
    endMs = sinceMs
    until = span.since
  }
}

/**
 * The events of a span, oldest first. Reading stops, without them, as soon as more than `most` are to be expected: events
 * may be much denser towards the end of a span than they were before.
 */
async function readSpan(
  client: Pick<Client, 'pages'>,
  query: EventQuery,
  { endMs, most, options }: { endMs: number; most: number; options: CallOptions | undefined },
): Promise<{ events?: EventRecord[]; expected: number }> {
  const events: EventRecord[] = []
  for await (const page of client.pages('listEvents', query, options)) {
    events.push(...page.events)
    if (page.nextCursor == null || page.nextCursor === '') break
    const restMs = endMs - (timeOf(events.at(-1)?.occurredAt) ?? endMs)
    const expected = events.length + (page.events.length * restMs) / Math.max(1, spanOf(page.events))
    if (expected > most) return { expected }
  }
  return { events, expected: events.length }
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
