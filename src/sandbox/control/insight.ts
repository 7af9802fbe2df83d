import { magicCatalogue } from '../core/magic.js'
import { Refusal } from '../core/refusal.js'
import { timestamp } from '../core/timestamp.js'
import type { DeliveryRow } from '../model.js'
import type { ControlContext, ControlRoute } from './control-route.js'

/** What the contract does not show: magic values, requests, the inside of a delivery. */
export function insightRoutes({ engine, log }: ControlContext): ControlRoute[] {
  return [
    { method: 'GET', path: '/magic', handle: () => magicCatalogue() },
    { method: 'GET', path: '/requests', handle: () => ({ requests: log.list() }) },
    {
      method: 'GET',
      path: '/deliveries/{deliveryId}',
      handle(call) {
        const delivery = engine.store.deliveries.get(call.parameters.deliveryId ?? '')
        if (delivery === undefined) throw new Refusal('DELIVERY_NOT_FOUND', 'There is no such delivery.')
        return insideOf(delivery)
      },
    },
  ]
}

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
