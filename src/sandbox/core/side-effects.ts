import type { KnownDeliveryStatus } from '../../contract/index.js'
import type { DeliveryDraft } from './delivery-draft.js'
import { proofUrl } from './delivery-view.js'
import { chooseDriver } from './driver-choice.js'
import type { Point } from './geo/geography.js'
import { depotOf, locateStop, namedInstallation } from './geo/places.js'
import { storeByReference } from './geo/stores.js'
import { varietyOf } from './hash.js'
import { cancellationFeeCents } from './pricing.js'
import { timestamp } from './trip-times.js'
import { proofTypesOf } from './verification.js'

/** Side effects of reaching a status. */
export const sideEffects: Partial<Record<KnownDeliveryStatus, (draft: DeliveryDraft, isSilent: boolean) => void>> = {
  driver_assigned(draft) {
    const driver = chooseDriver(draft.world, draft.row, draft.nextMs)
    if (driver !== undefined) draft.row.driverId = driver.id
    if (draft.capacity !== undefined) draft.capacity = Math.max(0, draft.capacity - 1)
    standAt(draft, routePoints(draft).depot)
  },
  driver_enroute_to_pickup(draft) {
    const { depot, store } = routePoints(draft)
    standAt(draft, onTheWay(draft, depot, store))
  },
  driver_at_pickup: (draft) => standAt(draft, routePoints(draft).store),
  pickup_complete: (draft) => standAt(draft, routePoints(draft).store),
  driver_enroute_to_dropoff(draft) {
    const { store, stop } = routePoints(draft)
    standAt(draft, onTheWay(draft, store, stop))
  },
  driver_at_dropoff: (draft) => standAt(draft, routePoints(draft).stop),
  reassigning(draft) {
    const { row } = draft
    if (row.driverId !== undefined) row.autopilot = { ...row.autopilot, previousDriverId: row.driverId }
    delete row.driverId
    delete row.location
  },
  delivered: addProofs,
  returned: (draft) => standAt(draft, routePoints(draft).store),
  cancelled({ world, row }) {
    if (world.account.capabilities.cancellationFees)
      row.cancellationFeeCents = cancellationFeeCents(row.status, row.deliveryFeeCents)
  },
}

/** The places of a trip; a stop that cannot be placed is where the store is. */
export function routePoints(draft: Pick<DeliveryDraft, 'world' | 'row'>): { depot: Point; store: Point; stop: Point } {
  const { order } = draft.row
  const found = storeByReference(order.pickup.storeReference)
  const stop = locateStop(draft.world, order.dropoff)
  const store = found ?? stop ?? { latitude: 0, longitude: 0 }
  return { depot: depotOf(store, varietyOf(draft.row)), store, stop: stop ?? store }
}

/** The proofs of a delivery, captured at the dropoff before the delivery is complete. */
function addProofs(draft: DeliveryDraft, isSilent: boolean): void {
  const { world, row } = draft
  const installation = namedInstallation(world, row.order.dropoff)
  for (const type of proofTypesOf(row.order, row.resolvedVerification, installation)) {
    const capturedAt = timestamp(draft.nextMs)
    const proof = { type, stage: 'dropoff', url: proofUrl(world, row.deliveryId, type), capturedAt }
    // A new list each time: the snapshots of earlier events hold the old one.
    row.proofs = [...row.proofs, proof]
    if (!isSilent) draft.inform('delivery.proof_of_delivery_added')
  }
}

function standAt(draft: DeliveryDraft, point: Point): void {
  if (!draft.world.account.capabilities.driverLocationStreaming || draft.row.driverId === undefined) return
  draft.row.location = { ...rounded(point), updatedAtMs: draft.nextMs }
}

/** Five decimals: about a metre. */
export function rounded({ latitude, longitude }: Point): Point {
  return { latitude: Math.round(latitude * 1e5) / 1e5, longitude: Math.round(longitude * 1e5) / 1e5 }
}

/** A driver whose movement is told sets out; one who is put from status to status is somewhere in between. */
function onTheWay({ row }: DeliveryDraft, from: Point, to: Point): Point {
  if (row.pace !== 'manual' && row.pace !== 'instant') return from
  return { latitude: (from.latitude + to.latitude) / 2, longitude: (from.longitude + to.longitude) / 2 }
}
