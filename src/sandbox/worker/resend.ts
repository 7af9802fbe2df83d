import { isAccepted, type PostConnections, postConnections } from '../../webhooks/index.js'
import { Refusal } from '../core/refusal.js'
import { takes } from '../engine/commit.js'
import type { Engine } from '../engine/engine.js'
import { keepEventOutcome } from '../engine/event-outcome.js'
import type { WebhookAttempt } from '../store/attempts.js'
import type { Endpoint } from '../store/endpoints.js'
import type { RecordedEvent } from '../store/events.js'
import { keptOutcome, postEvent } from './attempts.js'

/**
 * One more attempt at every receiver of an event, now and signed now, beside the schedule of retries: a success ends
 * that schedule, a failure leaves it as it is. Faults that the event asked for are not played again.
 */
export async function resendEvent(engine: Engine, event: RecordedEvent): Promise<WebhookAttempt[]> {
  const audience = event.eventType.startsWith('driver.') ? 'drivers' : 'deliveries'
  const receivers = engine.store.endpoints
    .list()
    .filter((endpoint) => takes(endpoint, { accountId: event.accountId, audience }))
  if (receivers.length === 0) {
    throw new Refusal('VALIDATION_ERROR', 'No receiver is registered for this event.', { status: 422 })
  }
  const connections = postConnections(1)
  try {
    return await Promise.all(receivers.map((endpoint) => resendTo(engine, connections, event, endpoint)))
  } finally {
    connections.close()
  }
}

async function resendTo(
  engine: Engine,
  connections: PostConnections,
  event: RecordedEvent,
  endpoint: Endpoint,
): Promise<WebhookAttempt> {
  const { store } = engine
  const sentAtMs = engine.clock.nowMs()
  const signal = new AbortController().signal
  const posted = await postEvent(engine, connections, { ...event, hooks: [] }, endpoint, signal)
  return store.write(() => {
    const { eventId } = event
    const { endpointId } = endpoint
    const seq = store.events.get(eventId)?.seq
    if (seq === undefined) throw new Refusal('NOT_FOUND', 'The event was forgotten while it was sent.')
    const known = store.webhooks.ofEvent(seq).find((webhook) => webhook.endpointId === endpointId)
    const webhookId = known?.webhookId ?? store.webhooks.enqueueSettled(seq, endpointId)
    const attempts = (known?.attempts ?? 0) + 1
    const hasSucceeded = isAccepted(posted)
    const outcome = hasSucceeded ? 'delivered' : known?.outcome === null ? 'retrying' : 'failed'
    const attempt: WebhookAttempt = {
      eventId,
      endpointId,
      attempt: attempts,
      scheduledAtMs: sentAtMs,
      sentAtMs,
      ...keptOutcome(posted),
      outcome,
    }
    store.attempts.record(attempt)
    if (hasSucceeded) store.webhooks.settle(webhookId, attempts, 'delivered')
    else if (outcome === 'failed' && known?.outcome !== 'delivered')
      store.webhooks.settle(webhookId, attempts, 'failed')
    keepEventOutcome(store, seq, sentAtMs)
    return attempt
  })
}
