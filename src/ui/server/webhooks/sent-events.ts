import { newestFirst } from '../../../client/internal.js'
import { dayMs } from '../../../shared/durations.js'
import { isRecord } from '../../../shared/json.js'
import { webhookStatusOf } from '../../../trade/webhook-status.js'
import { hasWords } from '../../wire/list.js'
import type { SentEventSummary } from '../../wire/webhooks.js'
import { accountQuery, type Backend, type Control } from '../backend.js'
import { serviceNowMs } from '../clock.js'

/** The events that were sent and match a search, newest first. */
export async function matchingEvents(backend: Backend, search: string): Promise<SentEventSummary[]> {
  const sent =
    backend.control === undefined ? await listedAsSent(backend) : await sentBySandbox(backend, backend.control)
  return sent.filter(({ eventId, eventType, deliveryId, reference, lastDeliveryStatus }) =>
    hasWords([eventId, eventType, deliveryId, reference, lastDeliveryStatus].join(' '), search),
  )
}

async function sentBySandbox(backend: Backend, control: Control): Promise<SentEventSummary[]> {
  const answer = await control('GET', `/sent-events${accountQuery(backend)}`)
  const events = isRecord(answer) && Array.isArray(answer.events) ? answer.events.filter(isRecord) : []
  return events.map(
    ({ clientOrderReference, ...event }) => ({ ...event, reference: clientOrderReference ?? null }) as SentEventSummary,
  )
}

/** Maximum number of an account's newest events to read. */
const readEvents = 1_000

async function listedAsSent(backend: Backend): Promise<SentEventSummary[]> {
  const nowMs = () => serviceNowMs(backend)
  const since = new Date((await nowMs()) - dayMs).toISOString()
  const found: SentEventSummary[] = []
  let read = 0
  for await (const event of newestFirst(backend.client, { since }, { wanted: readEvents, nowMs })) {
    const delivery = isRecord(event.data) && isRecord(event.data.delivery) ? event.data.delivery : {}
    const { eventId, eventType, occurredAt, deliveryAttempts, lastDeliveryStatus, lastAttemptAt, deliveryId } = event
    if ((deliveryAttempts ?? 0) > 0)
      found.push({
        eventId,
        eventType,
        occurredAt,
        deliveryId: deliveryId ?? null,
        reference: typeof delivery.clientOrderReference === 'string' ? delivery.clientOrderReference : null,
        lastDeliveryStatus: webhookStatusOf(lastDeliveryStatus, deliveryAttempts) ?? 'delivered',
        deliveryAttempts: deliveryAttempts ?? 0,
        lastAttemptAt: lastAttemptAt ?? null,
      })
    if (++read >= readEvents) break
  }
  return found
}
