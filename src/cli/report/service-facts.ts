import type { Client } from '../../client/index.js'
import { statusEventTypes } from '../../contract/index.js'
import { type EventFact, eventFact } from '../../report/index.js'
import { minuteMs } from '../../shared/durations.js'
import { type CachedSpan, dayOf, type FactCache } from './fact-cache.js'

/** Events become visible late, so this period is read again. */
const overlapMs = 10 * minuteMs

/** The event types of a report. Driver locations, which are most of a day's events, are not among them. */
const eventType = [...statusEventTypes, 'delivery.eta_updated']

export interface ServiceFacts {
  client: Client
  /** Absent for a service that does not need a cache: the embedded sandbox. */
  cache: FactCache | undefined
  /** The service's clock. */
  nowMs: number
  /** Called after each page with the number of events so far. */
  onProgress?: (events: number) => void
}

/**
 * The facts of the events from `fromMs` to now: from the cache as far as it reaches, the rest from the service, which
 * is then cached. Each event appears once.
 */
export async function* factsOfService(source: ServiceFacts, fromMs: number): AsyncGenerator<EventFact> {
  const { cache, nowMs } = source
  if (cache === undefined) {
    for await (const facts of daysOf(source, fromMs, nowMs)) yield* facts
    return
  }
  const span = await trustedSpan(source, cache)
  const missing: CachedSpan[] =
    span === undefined
      ? [{ sinceMs: fromMs, untilMs: nowMs }]
      : [
          ...(fromMs < span.sinceMs ? [{ sinceMs: fromMs, untilMs: span.sinceMs }] : []),
          { sinceMs: Math.max(fromMs, Math.min(span.untilMs, nowMs) - overlapMs), untilMs: nowMs },
        ]
  let known = span
  for (const part of missing) {
    for await (const facts of daysOf(source, part.sinceMs, part.untilMs)) {
      const [first] = facts
      if (first !== undefined) cache.addDay(dayOf(first.occurredAtMs), facts)
    }
    known = {
      sinceMs: Math.min(known?.sinceMs ?? part.sinceMs, part.sinceMs),
      untilMs: Math.max(known?.untilMs ?? part.untilMs, part.untilMs),
    }
    cache.setSpan(known)
  }
  for (const fact of cache.read(fromMs, nowMs)) if (fact.occurredAtMs >= fromMs) yield fact
}

/** The period that the cache covers, unless the service was reset since, so that its newest event no longer exists. */
async function trustedSpan({ client, nowMs }: ServiceFacts, cache: FactCache): Promise<CachedSpan | undefined> {
  const span = cache.span()
  const newest = cache.newest()
  if (span === undefined) return undefined
  const isOld = newest === undefined || newest.occurredAtMs < nowMs - 29 * 24 * 60 * minuteMs
  if (isOld) return span
  const since = new Date(newest.occurredAtMs).toISOString()
  const until = new Date(newest.occurredAtMs + 1).toISOString()
  for await (const page of client.pages('listEvents', { since, until, limit: 100 }))
    if (page.events.some(({ eventId }) => eventId === newest.eventId)) return span
  cache.clear()
  return undefined
}

/** The facts of the service's events, one list per day in UTC. */
async function* daysOf(
  { client, onProgress }: ServiceFacts,
  sinceMs: number,
  untilMs: number,
): AsyncGenerator<EventFact[]> {
  let day: EventFact[] = []
  let count = 0
  const query = {
    since: new Date(sinceMs).toISOString(),
    until: new Date(untilMs).toISOString(),
    eventType,
    limit: 100,
  }
  if (sinceMs >= untilMs) return
  for await (const page of client.pages('listEvents', query)) {
    for (const event of page.events) {
      const fact = eventFact(event)
      if (fact === undefined) continue
      const [first] = day
      if (first !== undefined && dayOf(first.occurredAtMs) !== dayOf(fact.occurredAtMs)) {
        yield day
        day = []
      }
      day.push(fact)
    }
    count += page.events.length
    onProgress?.(count)
  }
  if (day.length > 0) yield day
}
