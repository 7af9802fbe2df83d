import { timeMs } from '../../contract/index.js'
import { oldestSinceMs } from '../../contract/internal.js'
import type { JournalEvent, JournalReader } from '../../listener/index.js'
import { eventPages, type ListedEvent, type ReplayableEvent } from '../../webhooks/index.js'
import { UnknownEventError } from '../lookup/errors.js'
import type { EventQuery, EventService } from './event-service.js'
import { type ChosenEvents, ofTypes } from './filters.js'

/** Where to look up past events. */
interface EventSources {
  service: EventService
  journal: Pick<JournalReader, 'get'> | undefined
  /** Called for what is in the service's list but cannot be sent. */
  warn(text: string): void
}

/**
 * Past events from the service's list, oldest first: those with the given ids, or those of the query. The body is the
 * received one if the journal has it, otherwise the bytes of the list, so that a receiver does not get the same event
 * with another body.
 *
 * @throws UsageError if an id is not among the retained events
 */
export async function* eventsOfService(
  { service, journal, warn }: EventSources,
  ids: readonly string[],
  { query, patterns }: ChosenEvents,
): AsyncGenerator<ReplayableEvent> {
  const events =
    ids.length === 0
      ? ofTypes(listedEvents(service, query, warn), patterns)
      : await eventsById(service, ids, query, warn)
  for await (const { eventId, deliveryId, body: listed, problem } of events) {
    const body = (await journal?.get(eventId))?.body ?? listed
    if (body === undefined) warn(`Event ${eventId} of the service's list ${problem ?? 'has no body'} and was skipped.`)
    else yield { id: eventId, body, deliveryId: deliveryId ?? undefined }
  }
}

/** The events of the service's list, record by record. */
export async function* listedEvents(
  service: EventService,
  query: EventQuery,
  warn: (text: string) => void,
): AsyncGenerator<ListedEvent> {
  for await (const { events, nameless } of eventPages((page) => service.listEvents({ ...query, ...page }))) {
    if (nameless.length > 0) warn("An event of the service's list has no eventId and was skipped.")
    yield* events
  }
}

/** The contract has no lookup by event id: ids are searched for in the last day, then in all retained events. */
async function eventsById(
  service: EventService,
  ids: readonly string[],
  query: EventQuery,
  warn: (text: string) => void,
): Promise<ListedEvent[]> {
  const wanted = new Set(ids)
  const search = async (since: Partial<EventQuery>) => {
    const missing = new Set(wanted)
    const found: ListedEvent[] = []
    for await (const event of listedEvents(service, { ...query, ...since }, warn)) {
      if (missing.delete(event.eventId)) found.push(event)
      if (missing.size === 0) return { found, missing }
    }
    return { found, missing }
  }
  let { found, missing } = await search({})
  if (missing.size > 0 && query.since === undefined) {
    const oldestMs = oldestSinceMs(await service.nowMs())
    ;({ found, missing } = await search({ since: new Date(oldestMs).toISOString() }))
  }
  const [unknown] = missing
  if (unknown === undefined) return found
  throw unknownEvent(unknown, 'the events that the service keeps', 'dlv events list --since 30d --all -q lists them.')
}

/**
 * Received events from a journal, in order of arrival: those with the given ids, in their order, or those of the query.
 *
 * @throws UsageError if an id was never received
 */
export async function eventsOfJournal(
  journal: JournalReader,
  ids: readonly string[],
  { query, patterns, tooOld }: ChosenEvents,
): Promise<Iterable<ReplayableEvent> | AsyncIterable<ReplayableEvent>> {
  if (ids.length > 0) return Promise.all(ids.map((id) => receivedEvent(journal, id)))
  const types = patterns ?? query.eventType
  const since = tooOld ?? query.since
  return journal.list({
    sinceMs: since === undefined ? undefined : timeMs(since),
    untilMs: query.until === undefined ? undefined : timeMs(query.until),
    deliveryId: query.deliveryId,
    eventTypes: types,
  })
}

/**
 * A received event.
 *
 * @throws UnknownEventError if it was never received
 */
export async function receivedEvent(journal: Pick<JournalReader, 'get'>, id: string): Promise<JournalEvent> {
  const event = await journal.get(id)
  if (event === undefined) throw unknownReceivedEvent(id)
  return event
}

export function unknownReceivedEvent(
  id: string,
  hint = 'dlv webhooks log --all -q lists what was received.',
): UnknownEventError {
  return unknownEvent(id, 'the journal', hint)
}

function unknownEvent(id: string, where: string, hint: string): UnknownEventError {
  return new UnknownEventError(`Event "${id.slice(0, 80)}" not found in ${where}.`, { hint })
}
