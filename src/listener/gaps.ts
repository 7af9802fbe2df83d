import type { ListedEvent } from '../webhooks/index.js'
import type { JournalReader } from './journal/reader.js'

/** Number of ids per lookup. */
const pageSize = 100

/** An event of the service's list that never arrived here. `lastDeliveryStatus` `pending` may still come. */
export type Gap = Omit<ListedEvent, 'body' | 'data' | 'lastAttemptAt' | 'problem' | 'record'>

/** Compares the service's list with the journal; yields what is missing, in the service's order. */
export async function* findGaps(
  journal: Pick<JournalReader, 'has'>,
  events: Iterable<Gap> | AsyncIterable<Gap>,
): AsyncGenerator<Gap> {
  let page: Gap[] = []
  for await (const { eventId, eventType, occurredAt, deliveryId, lastDeliveryStatus, deliveryAttempts } of events) {
    page.push({ eventId, eventType, occurredAt, deliveryId, lastDeliveryStatus, deliveryAttempts })
    if (page.length < pageSize) continue
    yield* await missing(journal, page)
    page = []
  }
  yield* await missing(journal, page)
}

async function missing(journal: Pick<JournalReader, 'has'>, page: readonly Gap[]): Promise<Gap[]> {
  const known = await journal.has(page.map(({ eventId }) => eventId))
  return page.filter(({ eventId }) => !known.has(eventId))
}
