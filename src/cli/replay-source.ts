import type { Client } from '../client/index.js'
import { type InputOf, UsageError } from '../contract/index.js'
import type { JournalReader } from '../listener/index.js'
import { listedEvents, type ReplayableEvent } from '../webhooks/index.js'

type EventQuery = NonNullable<InputOf<'listEvents'>['query']>

const monthMs = 30 * 86_400_000 - 60_000

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
): AsyncGenerator<ReplayableEvent> {
  // The contract has no look-up by event id: ids are searched in all that is kept.
  const wanted = new Set(ids)
  const since = query.since ?? (ids.length > 0 ? new Date(Date.now() - monthMs).toISOString() : undefined)
  for await (const page of client.answers('listEvents', { ...query, ...(since === undefined ? {} : { since }) })) {
    for (const { record, body } of listedEvents(page.value, page.body)) {
      if (ids.length > 0 && !wanted.delete(record.eventId)) continue
      yield { id: record.eventId, body: journal?.get(record.eventId)?.body ?? body }
    }
    if (ids.length > 0 && wanted.size === 0) return
  }
  const [missing] = wanted
  if (missing !== undefined) throw unknownEvent(missing, 'the last 30 days', 'dlv events list --all -q lists them.')
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
