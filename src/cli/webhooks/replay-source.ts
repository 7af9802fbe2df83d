import type { Client } from '../../client/index.js'
import { ApiError, type InputOf, UsageError } from '../../contract/index.js'
import type { JournalReader } from '../../listener/index.js'
import { dayMs } from '../../shared/durations.js'
import { type ListedEvent, listedEvents, type ReplayableEvent } from '../../webhooks/index.js'

type EventQuery = NonNullable<InputOf<'listEvents'>['query']>

/**
 * Past events out of the service's list, oldest first: those with the given ids, else those of the query. The body is
 * the one that was received, where the journal has it, else the bytes of the list: the same event must not reach a
 * receiver as another body under the same id.
 *
 * @throws UsageError where an id is not among the events that are kept.
 */
export async function* eventsOfService(
  client: Client,
  journal: Pick<JournalReader, 'get'> | undefined,
  ids: readonly string[],
  query: EventQuery,
  nowMs: number,
): AsyncGenerator<ReplayableEvent> {
  const events = ids.length === 0 ? listed(client, query) : await eventsById(client, ids, query, nowMs)
  for await (const { record, body } of events)
    yield { id: record.eventId, body: journal?.get(record.eventId)?.body ?? body }
}

async function* listed(client: Client, query: EventQuery): AsyncGenerator<ListedEvent> {
  for await (const page of client.answers('listEvents', query)) yield* listedEvents(page.value, page.body)
}

/** The contract has no look-up by event id: ids are searched in the last day, then in all that is kept. */
async function eventsById(
  client: Client,
  ids: readonly string[],
  query: EventQuery,
  nowMs: number,
): Promise<ListedEvent[]> {
  const spans = query.since === undefined ? [undefined, ...keptDays] : [undefined]
  let wanted = new Set(ids)
  for (const days of spans) {
    const since = days === undefined ? {} : { since: new Date(nowMs - days * dayMs + roomMs).toISOString() }
    const found: ListedEvent[] = []
    wanted = new Set(ids)
    try {
      for await (const event of listed(client, { ...query, ...since })) {
        if (wanted.delete(event.record.eventId)) found.push(event)
        if (wanted.size === 0) return found
      }
    } catch (error) {
      if (isTooLongAgo(error)) continue
      throw error
    }
    if (days !== undefined) break
  }
  const [missing = ''] = wanted
  throw unknownEvent(missing, 'what the service keeps', 'dlv events list --since 30d --all -q lists them.')
}

const roomMs = 60_000
/** How far back is asked, furthest first: a service whose clock is ahead of ours keeps less than 30 of our days. */
const keptDays: readonly number[] = [30, 29, 27, 24, 20, 15, 10, 5, 2]

function isTooLongAgo(error: unknown): boolean {
  return (
    error instanceof ApiError && error.status === 400 && error.fieldErrors.some(({ field }) => /since$/.test(field))
  )
}

/**
 * Received events out of a journal, in order of arrival: those with the given ids, in their order, else those of the query.
 *
 * @throws UsageError where an id was never received.
 */
export function eventsOfJournal(
  journal: JournalReader,
  ids: readonly string[],
  query: EventQuery,
): Iterable<ReplayableEvent> {
  if (ids.length > 0) return ids.map((id) => receivedEvent(journal, id))
  return journal.list({
    ...(query.since === undefined ? {} : { sinceMs: Date.parse(query.since) }),
    ...(query.until === undefined ? {} : { untilMs: Date.parse(query.until) }),
    ...(query.deliveryId === undefined ? {} : { deliveryId: query.deliveryId }),
    ...(query.eventType === undefined ? {} : { eventTypes: query.eventType }),
  })
}

/** One received event. Throws `UsageError` where it never came. */
export function receivedEvent(journal: Pick<JournalReader, 'get'>, id: string) {
  const event = journal.get(id)
  if (event === undefined) throw unknownEvent(id, 'the journal', 'dlv webhooks log --all -q lists what came.')
  return event
}

function unknownEvent(id: string, where: string, hint: string): UsageError {
  return new UsageError(`There is no event ${id.slice(0, 80)} in ${where}.`, { hint })
}
