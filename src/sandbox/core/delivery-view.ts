import { type Delivery, type StatusHistoryEntry, terminalStatuses } from '../../contract/index.js'
import type { DeliveryRow, HistoryRow, World } from '../model.js'
import { storeByReference } from './geo/stores.js'
import { withFuture } from './hash.js'
import { cancellationFeeCents as currentFeeCents } from './pricing.js'
import { timestamp } from './trip-times.js'

/** A delivery as the service shows it; `history` is for reads of one delivery, events go without. */
export function deliveryView(world: World, row: DeliveryRow, show: { history: boolean }): Delivery {
  const delivery: Delivery = {
    deliveryId: row.deliveryId,
    clientOrderReference: row.clientOrderReference,
    status: row.shownStatus ?? row.status,
    ...(row.statusReason === undefined ? {} : { statusReason: row.statusReason }),
    ...(row.statusReasonCode === undefined ? {} : { statusReasonCode: row.statusReasonCode }),
    ...(show.history ? { statusHistory: row.history.map(historyEntry) } : {}),
    pickup: pickupView(row.order.pickup.storeReference),
    dropoff: row.order.dropoff,
    pricing: pricingView(world, row),
    ...driverMember(world, row),
    // Where the sandbox serves pages may have changed since the proof was captured.
    proofOfDelivery: row.proofs.map((proof) => ({ ...proof, url: proofUrl(world, row.deliveryId, proof.type) })),
    resolvedVerification: row.resolvedVerification,
    trackingUrl: trackingUrl(world, row.deliveryId),
    createdAt: timestamp(row.createdAtMs),
    updatedAt: timestamp(row.updatedAtMs),
  }
  return withFuture(world, 'delivery', delivery)
}

/** The address of a delivery's tracking page in the sandbox. */
function trackingUrl(world: Pick<World, 'publicUrl'>, deliveryId: string): string {
  return `${world.publicUrl}/track/${deliveryId}`
}

/** The address of a proof's image in the sandbox; `type` is one of `photo`, `signature`, `barcode`, `pincode`. */
export function proofUrl(world: Pick<World, 'publicUrl'>, deliveryId: string, type: string): string {
  return `${world.publicUrl}/proofs/${deliveryId}/${type}.svg`
}

function historyEntry(entry: HistoryRow): StatusHistoryEntry {
  const { atMs, status, ...reason } = entry
  return { status, occurredAt: timestamp(atMs), ...reason }
}

function pickupView(storeReference: string): Delivery['pickup'] {
  const store = storeByReference(storeReference)
  return { storeReference, ...(store === undefined ? {} : { businessName: store.businessName }) }
}

/** The fee for cancelling now; after a cancellation the fee charged, and 0 if the delivery ended otherwise. */
function shownFeeCents(row: DeliveryRow): number {
  if (row.status === 'cancelled') return row.cancellationFeeCents ?? 0
  return terminalStatuses.has(row.status) ? 0 : currentFeeCents(row.status, row.deliveryFeeCents)
}

/** A cancelled delivery costs its cancellation fee and nothing else. */
function pricingView(world: World, row: DeliveryRow): Delivery['pricing'] {
  const tipAmountCents = row.order.tipAmountCents ?? 0
  const { deliveryFeeCents } = row
  const cancellationFeeCents = shownFeeCents(row)
  const totalPriceCents = row.status === 'cancelled' ? cancellationFeeCents : deliveryFeeCents + tipAmountCents
  return {
    currency: 'USD',
    deliveryFeeCents,
    tipAmountCents,
    ...(world.account.capabilities.cancellationFees ? { cancellationFeeCents } : {}),
    totalPriceCents,
  }
}

function driverMember(world: World, row: DeliveryRow): Pick<Delivery, 'driver'> {
  const driver = row.driverId === undefined ? undefined : world.driver(row.driverId)
  if (driver === undefined) return {}
  const { id, name, phoneNumber, vehicleDescription } = driver
  const { location } = row
  if (location === undefined || !world.account.capabilities.driverLocationStreaming)
    return { driver: { id, name, phoneNumber, vehicleDescription } }
  const { latitude, longitude, updatedAtMs } = location
  const shown = { latitude, longitude, updatedAt: timestamp(updatedAtMs) }
  return { driver: { id, name, phoneNumber, vehicleDescription, location: shown } }
}
