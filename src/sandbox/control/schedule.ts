import { z } from 'zod'
import { timestamp } from '../core/times.js'
import { accountChoice } from './accounts.js'
import type { ControlContext, ControlRoutes } from './control-route.js'
import { attemptView, eventNamed } from './receivers.js'

const Limit = z.strictObject({ limit: z.coerce.number().int().min(1).max(1_000).default(50) })
const SentEvents = z.strictObject({
  limit: z.coerce.number().int().min(1).max(100_000).default(10_000),
})

/** Upcoming jobs, and the state of the webhooks of events. */
export function scheduleRoutes({ engine }: ControlContext): ControlRoutes {
  const { store } = engine
  const urlOf = (endpointId: string) => store.endpoints.get(endpointId)?.url ?? null
  return {
    'GET /schedule'(call) {
      const { limit } = call.queryAs(Limit)
      return {
        now: timestamp(engine.clock.nowMs()),
        webhooks: store.webhooks.upcoming(limit).map(({ endpointId, attempts, dueAtMs, ...event }) => ({
          ...event,
          url: urlOf(endpointId),
          attempt: attempts + 1,
          dueAt: timestamp(dueAtMs),
        })),
        deliveries: store.deliveries.upcoming(limit).map((delivery) => ({
          deliveryId: delivery.deliveryId,
          clientOrderReference: delivery.clientOrderReference,
          status: delivery.shownStatus ?? delivery.status,
          dueAt: timestamp(delivery.nextDueAtMs ?? 0),
        })),
      }
    },
    'GET /sent-events'(call) {
      const { account, limit } = call.queryAs(SentEvents.extend(accountChoice(store)))
      return {
        events: store.events.sent(account.accountId, limit).map(({ occurredAtMs, lastAttemptAtMs, ...event }) => ({
          ...event,
          occurredAt: timestamp(occurredAtMs),
          lastAttemptAt: lastAttemptAtMs === null ? null : timestamp(lastAttemptAtMs),
        })),
      }
    },
    'GET /events/{eventId}'(call) {
      const event = eventNamed(store, call.parameters.eventId ?? '')
      const { seq, eventId, eventType, occurredAtMs, deliveryId, body, outcome, attempts } = event
      return {
        eventId,
        eventType,
        occurredAt: timestamp(occurredAtMs),
        deliveryId,
        lastDeliveryStatus: outcome,
        deliveryAttempts: attempts,
        /** The exact text that is sent. */
        body,
        attempts: store.attempts
          .list(eventId, 1_000)
          .map((attempt) => ({ ...attemptView(attempt), url: urlOf(attempt.endpointId) })),
        next: store.webhooks.pendingOf(seq).map(({ endpointId, attempts: made, dueAtMs }) => ({
          url: urlOf(endpointId),
          attempt: made + 1,
          dueAt: timestamp(dueAtMs),
        })),
      }
    },
  }
}
