import type { ListedEvent } from '../webhooks/index.js'

/** An event of the service's list that never arrived here. `lastDeliveryStatus` `pending` may still come. */
export type Gap = Omit<ListedEvent, 'body' | 'problem' | 'record'>

/** Compares the service's list with the journal; yields what is missing, in the service's order. */
export async function* findGaps(
  journal: { has(eventId: string): boolean },
  events: Iterable<ListedEvent> | AsyncIterable<ListedEvent>,
): AsyncGenerator<Gap> {
  for await (const { body: _body, problem: _problem, record: _record, ...gap } of events)
    if (!journal.has(gap.eventId)) yield gap
}
