import { z } from 'zod'
import { accounts } from '../core/accounts.js'
import { magicCatalogue } from '../core/magic.js'
import { Refusal } from '../core/refusal.js'
import { routePoints } from '../core/side-effects.js'
import { targetsOf } from '../core/simulate-delivery.js'
import { timestamp } from '../core/trip-times.js'
import { accountById } from '../engine/accounts.js'
import type { Engine } from '../engine/engine.js'
import { worldOf } from '../engine/world.js'
import type { DeliveryRow, World } from '../model.js'
import { accountChoice, accountLimit } from './accounts.js'
import type { ControlContext, ControlRoutes } from './control-route.js'
import { attemptView, eventNamed } from './receivers.js'

/** State that the contract does not show: magic values, requests, the internals of a delivery. */
export function insightRoutes({ engine, log }: ControlContext): ControlRoutes {
  return {
    'GET /magic': () => magicCatalogue(),
    'GET /requests': () => ({ requests: log.list() }),
    'GET /deliveries/{deliveryId}'(call) {
      const deliveryId = call.parameters.deliveryId ?? ''
      const delivery = engine.store.deliveries.get(deliveryId)
      const only = accountLimit(engine.store, call)
      if (delivery === undefined || (only !== undefined && delivery.accountId !== only))
        throw new Refusal('DELIVERY_NOT_FOUND', `No delivery "${deliveryId}" exists.`, { details: { deliveryId } })
      return {
        ...insideOf(delivery),
        ...outlookOf(worldOf(engine, accountOf(engine, delivery), engine.clock.nowMs()), delivery),
      }
    },
  }
}

const accountOf = ({ store }: Engine, { accountId }: DeliveryRow) => accountById(store, accountId) ?? accounts[0]

/** The possible next statuses of a delivery and the places of its trip. */
function outlookOf(world: World, delivery: DeliveryRow) {
  const { store, stop } = routePoints({ world, row: delivery })
  return {
    reachableStatuses: targetsOf(world, delivery),
    route: { store: pointOf(store), stop: pointOf(stop) },
  }
}

const pointOf = ({ latitude, longitude }: { latitude: number; longitude: number }) => ({ latitude, longitude })

/** Everything that is kept of a delivery, with its order spread out: metadata, windows, package and the rest. */
function insideOf(delivery: DeliveryRow) {
  const { order, createdAtMs, updatedAtMs, nextDueAtMs, history, quote, location, ...kept } = delivery
  return {
    ...kept,
    ...order,
    ...(quote === undefined ? {} : { quote: { ...quote, expiresAt: timestamp(quote.expiresAtMs) } }),
    ...(location === undefined ? {} : { location: locationOf(location) }),
    history: history.map(({ atMs, ...entry }) => ({ ...entry, occurredAt: timestamp(atMs) })),
    nextDueAt: nextDueAtMs === undefined ? null : timestamp(nextDueAtMs),
    createdAt: timestamp(createdAtMs),
    updatedAt: timestamp(updatedAtMs),
  }
}

function locationOf({ updatedAtMs, ...place }: NonNullable<DeliveryRow['location']>) {
  return { ...place, updatedAt: timestamp(updatedAtMs) }
}

const Limit = z.strictObject({
  limit: z.coerce.number().int().min(1).max(1_000).default(50),
  account: z.string().optional(),
})
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
      const only = accountLimit(store, call)
      return {
        now: timestamp(engine.clock.nowMs()),
        webhooks: store.webhooks.upcoming(limit, only).map(({ endpointId, attempts, dueAtMs, ...event }) => ({
          ...event,
          url: urlOf(endpointId),
          attempt: attempts + 1,
          dueAt: timestamp(dueAtMs),
        })),
        deliveries: store.deliveries.upcoming(limit, only).map((delivery) => ({
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
      const event = eventNamed(store, call)
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
