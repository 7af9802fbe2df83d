import { ApiError } from '../../../contract/index.js'
import { isRecord } from '../../../shared/json.js'
import { webhookStatusOf } from '../../../trade/webhook-status.js'
import type { Done } from '../../wire/deliveries.js'
import { hasWords } from '../../wire/list.js'
import type { SentEventSummary, WebhookOverview } from '../../wire/webhooks.js'
import { accountQuery, type Backend, type Control } from '../backend.js'
import { dayOfEvents, type SeenEvent } from '../events/day-of-events.js'
import { controlOf, Refused } from '../route.js'

/** The result of asking the service to send an event again. */
interface SentAgain {
  delivered: number
  /** The responses of the receivers that did not accept it. */
  failed: string[]
}

/** Asks the sandbox to send an event to its receivers once more. */
export async function sendAgain(backend: Backend, eventId: string, hint: string): Promise<SentAgain> {
  const control = controlOf(backend, hint)
  const answer = await control('POST', `/events/${encodeURIComponent(eventId)}/resend${accountQuery(backend)}`)
  const attempts = isRecord(answer) && Array.isArray(answer.attempts) ? answer.attempts.filter(isRecord) : []
  const isDelivered = ({ outcome }: Record<string, unknown>) => outcome === 'delivered'
  return {
    delivered: attempts.filter(isDelivered).length,
    failed: attempts
      .filter((attempt) => !isDelivered(attempt))
      .map(({ statusCode, error }) =>
        typeof statusCode === 'number' ? `answered ${statusCode}` : String(error ?? 'no answer'),
      ),
  }
}

const useReplay = 'Use dlv events replay.'

/** Events that are sent at the same time. */
const sentAtOnce = 4

/** Sends each event that matches and was sent before exactly once more, the oldest first. */
export async function sendAllThatMatch(backend: Backend, search: string): Promise<Done> {
  return sendEvents(backend, (await matchingEvents(backend, search)).events)
}

/** Sends events once more, given newest first, the oldest first. */
export async function sendEvents(backend: Backend, events: readonly SentEventSummary[]): Promise<Done> {
  controlOf(backend, useReplay)
  const waiting = events.toReversed()
  if (waiting.length === 0) throw new Refused(422, 'NOTHING_MATCHES', 'No event that was sent matches.')
  const count = waiting.length
  const failures: string[] = []
  const worker = async () => {
    for (let event = waiting.shift(); event !== undefined; event = waiting.shift()) {
      const failure = await failureOfSending(backend, event.eventId)
      if (failure !== undefined) failures.push(failure)
    }
  }
  await Promise.all(Array.from({ length: sentAtOnce }, worker))
  const what = `${count} ${count === 1 ? 'event' : 'events'}`
  if (failures.length > 0)
    throw new Refused(
      422,
      'NOT_DELIVERED',
      `Sent ${what} again; a receiver did not take ${failures.length} of them (${[...new Set(failures)].slice(0, 3).join('; ')}).`,
    )
  return { message: `Sent ${what} again: all delivered.` }
}

/** Why a receiver did not take the event; `undefined` if each one did. */
async function failureOfSending(backend: Backend, eventId: string): Promise<string | undefined> {
  try {
    return (await sendAgain(backend, eventId, useReplay)).failed[0]
  } catch (error) {
    if (error instanceof ApiError) return error.message
    throw error
  }
}

type SentEvents = Pick<WebhookOverview, 'events' | 'reach'>

/** The events that were sent and match a search, newest first. */
export async function matchingEvents(backend: Backend, search: string): Promise<SentEvents> {
  const { events, reach } =
    backend.control === undefined ? await listedAsSent(backend) : await sentBySandbox(backend, backend.control)
  const matching = events.filter(({ eventId, eventType, deliveryId, reference, lastDeliveryStatus }) =>
    hasWords([eventId, eventType, deliveryId, reference, lastDeliveryStatus].join(' '), search),
  )
  return { events: matching, reach }
}

async function sentBySandbox(backend: Backend, control: Control): Promise<SentEvents> {
  const answer = await control('GET', `/sent-events${accountQuery(backend)}`)
  const events = isRecord(answer) && Array.isArray(answer.events) ? answer.events.filter(isRecord) : []
  const sent = events.map(
    ({ clientOrderReference, ...event }) => ({ ...event, reference: clientOrderReference ?? null }) as SentEventSummary,
  )
  return { events: sent, reach: 'all' }
}

async function listedAsSent(backend: Backend): Promise<SentEvents> {
  const { events, reach } = await dayOfEvents(backend).newest()
  const sent = events.filter(({ deliveryAttempts }) => (deliveryAttempts ?? 0) > 0)
  return { reach, events: sent.map(sentEvent) }
}

function sentEvent({
  eventType,
  occurredAt,
  lastDeliveryStatus,
  deliveryAttempts,
  ...event
}: SeenEvent): SentEventSummary {
  return {
    ...event,
    eventType: eventType ?? 'unknown',
    occurredAt: occurredAt ?? '',
    lastDeliveryStatus: webhookStatusOf(lastDeliveryStatus, deliveryAttempts) ?? 'delivered',
    deliveryAttempts: deliveryAttempts ?? 0,
  }
}
