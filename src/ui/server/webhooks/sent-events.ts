import { dayMs } from '../../../shared/durations.js'
import { isRecord } from '../../../shared/json.js'
import { webhookStatusOf } from '../../../trade/webhook-status.js'
import { hasWords } from '../../wire/search.js'
import type { SentEventSummary } from '../../wire/webhooks.js'
import { accountQuery, type Backend, type Control } from '../backend.js'

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

/** So many pages of an account's events are read. */
const readPages = 10

async function listedAsSent({ client, nowMs }: Backend): Promise<SentEventSummary[]> {
  const since = new Date((client.serviceNowMs() ?? nowMs()) - dayMs).toISOString()
  const found: SentEventSummary[] = []
  let pages = 0
  for await (const page of client.pages('listEvents', { since, limit: 100 })) {
    for (const event of page.events) {
      const delivery = isRecord(event.data) && isRecord(event.data.delivery) ? event.data.delivery : {}
      const { eventId, eventType, occurredAt, deliveryAttempts, lastDeliveryStatus, lastAttemptAt, deliveryId } = event
      if ((deliveryAttempts ?? 0) === 0) continue
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
    }
    if (++pages >= readPages) break
  }
  return found.reverse()
}
