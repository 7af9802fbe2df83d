import { oldestSinceMs } from '../../../contract/internal.js'
import { dayMs, minuteMs } from '../../../shared/durations.js'
import type { Backend } from '../backend.js'
import type { FoundEvent } from './find-event.js'

interface Neighbour {
  eventId: string
  eventType: string
  data: unknown
}

/** Maximum number of pages of a delivery's events to read. */
const readPages = 8

/** The events of the same delivery before and after an event. */
export async function neighboursOf(
  { client }: Pick<Backend, 'client'>,
  { eventId, deliveryId, occurredAt }: FoundEvent,
): Promise<{ previous: Neighbour | null; following: Neighbour | null }> {
  const atMs = Date.parse(occurredAt ?? '')
  if (deliveryId === null || Number.isNaN(atMs)) return { previous: null, following: null }
  const serviceMs = client.serviceNowMs() ?? atMs
  const oldestMs = oldestSinceMs(serviceMs)
  const query = { deliveryId, since: new Date(Math.max(oldestMs, atMs - 3 * dayMs)).toISOString(), limit: 100 }
  let previous: Neighbour | null = null
  let isPast = false
  let pages = 0
  for await (const page of client.pages('listEvents', query)) {
    for (const event of page.events) {
      const neighbour = { eventId: event.eventId, eventType: event.eventType, data: event.data }
      if (event.eventId === eventId) isPast = true
      else if (isPast) return { previous, following: neighbour }
      else if (Date.parse(event.occurredAt) <= atMs + minuteMs) previous = neighbour
    }
    if (++pages >= readPages) break
  }
  return { previous: isPast ? previous : null, following: null }
}
