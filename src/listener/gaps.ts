import type { EventRecord } from '../contract/index.js'

/** An event that the service has sent, or tried to, and that never arrived here. */
export interface Gap {
  eventId: string
  eventType: string
  occurredAt: string
  deliveryId: string | null
  /** What the service knows of its webhook: `pending` may still come. */
  lastDeliveryStatus: string | null
  deliveryAttempts: number | null
}

/**
 * Compares what the service says it emitted with what is in the journal; yields what is missing, in the service's
 * order.
 */
export async function* findGaps(
  journal: { has(eventId: string): boolean },
  events: Iterable<EventRecord> | AsyncIterable<EventRecord>,
): AsyncGenerator<Gap> {
  for await (const event of events) {
    if (journal.has(event.eventId)) continue
    yield {
      eventId: event.eventId,
      eventType: event.eventType,
      occurredAt: event.occurredAt,
      deliveryId: event.deliveryId ?? null,
      lastDeliveryStatus: event.lastDeliveryStatus ?? null,
      deliveryAttempts: event.deliveryAttempts ?? null,
    }
  }
}
