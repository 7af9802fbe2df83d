import type { DeliveryCreate } from '../../contract/index.js'
import type { QuoteRow, World } from '../model.js'
import { type Carrier, carrierById, ownFleet, standard } from './carriers.js'
import type { OrderLike } from './checks/order-context.js'
import { earliestStartMs } from './eta.js'
import { locateStop, namedInstallation, roadKm, zipOf } from './geo/places.js'
import { storeByReference } from './geo/stores.js'
import { deliveryFeeCents } from './pricing.js'

/** The fee of an order with a carrier, in cents, as it would be quoted at `pricedAtMs`. */
export function priceOf(world: World, order: OrderLike, carrier: Carrier, pricedAtMs: number): number {
  const store = storeByReference(order.pickup.storeReference)
  if (store === undefined) throw new Error(`no store ${order.pickup.storeReference}`)
  return deliveryFeeCents({
    store,
    zip: zipOf(order.dropoff),
    distanceKm: roadKm(store, locateStop(world, order.dropoff)),
    order,
    installation: namedInstallation(world, order.dropoff),
    carrier,
    pricedAtMs,
    pickupAtMs: earliestStartMs(order) ?? pricedAtMs,
  })
}

/** The fee of a new order: what its quote says, or what the standard carrier takes. */
export function feeOf(world: World, order: DeliveryCreate, quote: QuoteRow | undefined): number {
  return quote?.deliveryFeeCents ?? priceOf(world, order, usualCarrier(world), world.nowMs)
}

/** The carrier of an order without a quote. */
function usualCarrier(world: Pick<World, 'account'>): Carrier {
  return world.account.accountType === 'owned_fleet' ? ownFleet : standard
}

/** The carrier of a quote, for pricing an order again after an update. */
export function quotedCarrier(world: World, quote: { carrierId: string } | undefined): Carrier {
  return (quote === undefined ? undefined : carrierById(quote.carrierId)) ?? usualCarrier(world)
}
