import { accounts } from '../core/accounts.js'
import { magicCatalogue } from '../core/magic.js'
import { Refusal } from '../core/refusal.js'
import { routePoints } from '../core/side-effects.js'
import { targetsOf } from '../core/simulate-delivery.js'
import { timestamp } from '../core/times.js'
import { accountById } from '../engine/accounts.js'
import type { Engine } from '../engine/engine.js'
import { worldOf } from '../engine/world.js'
import type { DeliveryRow, World } from '../model.js'
import type { ControlContext, ControlRoutes } from './control-route.js'

/** State that the contract does not show: magic values, requests, the internals of a delivery. */
export function insightRoutes({ engine, log }: ControlContext): ControlRoutes {
  return {
    'GET /magic': () => magicCatalogue(),
    'GET /requests': () => ({ requests: log.list() }),
    'GET /deliveries/{deliveryId}'(call) {
      const deliveryId = call.parameters.deliveryId ?? ''
      const delivery = engine.store.deliveries.get(deliveryId)
      if (delivery === undefined)
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
