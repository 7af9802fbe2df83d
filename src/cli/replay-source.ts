import type { Client } from '../client/index.js'
import { type EventRecord, type InputOf, UsageError } from '../contract/index.js'
import type { ReplayableEvent } from '../webhooks/index.js'

/** Where past events come from: the service, or the journal of a listener. */
export type ReplaySource = { client: Client } | { journalFile: string }

type EventQuery = NonNullable<InputOf<'listEvents'>['query']>

/** The events to send, in their order: those with the given ids, else those of the query. */
export async function replayable(
  source: ReplaySource,
  ids: readonly string[],
  query: EventQuery,
): Promise<AsyncIterable<ReplayableEvent> | Iterable<ReplayableEvent>> {
  if ('client' in source) return fromService(source.client, ids, query)
  const { readJournal } = await import('../listener/index.js')
  const journal = readJournal(source.journalFile)
  if (ids.length > 0)
    return ids.map((id) => {
      const event = journal.get(id)
      if (event === undefined) throw unknownEvent(id)
      return event
    })
  return journal.list({
    ...(query.since === undefined ? {} : { sinceMs: Date.parse(query.since) }),
    ...(query.until === undefined ? {} : { untilMs: Date.parse(query.until) }),
    ...(query.deliveryId === undefined ? {} : { deliveryId: query.deliveryId }),
    ...(query.eventType === undefined ? {} : { eventTypes: query.eventType }),
  })
}

const monthMs = 30 * 86_400_000 - 60_000

async function* fromService(
  client: Client,
  ids: readonly string[],
  query: EventQuery,
): AsyncGenerator<ReplayableEvent> {
  // The contract has no look-up by event id: ids are searched in all that is kept.
  const wanted = new Set(ids)
  const since = query.since ?? (ids.length > 0 ? new Date(Date.now() - monthMs).toISOString() : undefined)
  for await (const event of client.each('listEvents', { ...query, ...(since === undefined ? {} : { since }) })) {
    if (ids.length > 0 && !wanted.delete(event.eventId)) continue
    yield { id: event.eventId, body: bodyOf(event) }
    if (ids.length > 0 && wanted.size === 0) return
  }
  const [missing] = wanted
  if (missing !== undefined) throw unknownEvent(missing)
}

/** The body as it was sent: `data` where it is a whole event, else the envelope around it. */
function bodyOf({ eventId, eventType, occurredAt, livemode, data }: EventRecord): Uint8Array {
  const isWhole = typeof data === 'object' && data !== null && 'eventId' in data
  const body = isWhole ? data : { eventId, eventType, occurredAt, livemode, ...(data as object | undefined) }
  return Buffer.from(JSON.stringify(body))
}

function unknownEvent(id: string): UsageError {
  return new UsageError(`There is no event ${id.slice(0, 80)} in what is kept.`, {
    hint: 'dlv events list --all -q lists them.',
  })
}
