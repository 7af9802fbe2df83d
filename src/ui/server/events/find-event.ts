import { ApiError, operationDescriptors } from '../../../contract/index.js'
import { oldestSinceMs } from '../../../contract/internal.js'
import type { JournalEvent } from '../../../listener/index.js'
import { hourMs } from '../../../shared/durations.js'
import { isRecord } from '../../../shared/json.js'
import { webhookStatusOf } from '../../../trade/webhook-status.js'
import { eventPages } from '../../../webhooks/index.js'
import type { AttemptSummary, EventDetail } from '../../wire/events.js'
import { accountQuery, type Backend } from '../backend.js'
import { Refused } from '../route.js'

/** An event with its exact body, and what is known of its way. */
export interface FoundEvent {
  eventId: string
  eventType: string
  occurredAt: string | null
  deliveryId: string | null
  body: Uint8Array
  lastDeliveryStatus: string | null
  attempts: AttemptSummary[]
  next: EventDetail['next']
  /** The event as the listener received it. */
  received: JournalEvent | undefined
}

/** Maximum number of pages of the service's list to search for an event. */
const searchedPages = 60

/** Looks for an event in the journal, in the sandbox, and in the list of the service. Throws the 404. */
export async function findEvent(backend: Backend, eventId: string): Promise<FoundEvent> {
  const [received, recorded] = await Promise.all([backend.journal?.get(eventId), recordedEvent(backend, eventId)])
  if (recorded !== undefined) return { ...recorded, body: received?.body ?? recorded.body, received }
  if (received !== undefined)
    return {
      eventId,
      eventType: received.eventType ?? 'signed JSON',
      occurredAt: received.occurredAt ?? null,
      deliveryId: received.deliveryId ?? null,
      body: received.body,
      lastDeliveryStatus: null,
      attempts: [],
      next: [],
      received,
    }
  const listed = backend.control === undefined ? await listedEvent(backend, eventId) : undefined
  if (listed !== undefined) return listed
  throw new Refused(404, 'NOT_FOUND', 'This event is neither in the journal nor among those that the service keeps.')
}

/** The sandbox's record of an event. */
async function recordedEvent(backend: Backend, eventId: string): Promise<FoundEvent | undefined> {
  const { control } = backend
  if (control === undefined) return undefined
  try {
    const event = await control('GET', `/events/${encodeURIComponent(eventId)}${accountQuery(backend)}`)
    if (!isRecord(event)) return undefined
    return {
      ...(event as unknown as Omit<FoundEvent, 'body' | 'received'>),
      body: Buffer.from(String(event.body)),
      received: undefined,
    }
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  }
}

/** The contract has no lookup by id: the last hour is searched first, then everything that is kept. */
async function listedEvent({ client, nowMs }: Backend, eventId: string): Promise<FoundEvent | undefined> {
  const { method, path } = operationDescriptors.listEvents
  const serviceMs = client.serviceNowMs() ?? nowMs()
  for (const sinceMs of [serviceMs - hourMs, oldestSinceMs(serviceMs)]) {
    const since = new Date(sinceMs).toISOString()
    const pages = eventPages(
      async (query) => (await client.raw({ method, path, query: { since, limit: 100, ...query } })).body,
    )
    let count = 0
    for await (const { events } of pages) {
      const found = events.find((event) => event.eventId === eventId)
      if (found?.body !== undefined)
        return {
          eventId,
          eventType: found.eventType ?? 'event',
          occurredAt: found.occurredAt,
          deliveryId: found.deliveryId,
          body: found.body,
          lastDeliveryStatus: webhookStatusOf(found.lastDeliveryStatus, found.deliveryAttempts) ?? null,
          attempts: [],
          next: [],
          received: undefined,
        }
      if (++count >= searchedPages) break
    }
  }
  return undefined
}
