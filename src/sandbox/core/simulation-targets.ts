import { type KnownDeliveryStatus, type RouteConditions, reachableStatuses } from '../../contract/index.js'
import type { DeliveryRow, World } from '../model.js'
import { namedInstallation } from './geo/places.js'
import { impossibleChecks } from './verification.js'

/** Every status that this delivery can still reach. */
export function targetsOf(world: World, row: DeliveryRow): KnownDeliveryStatus[] {
  const targets = reachableStatuses(row.status, conditionsOf(world, row))
  return targets.filter((status) => status !== 'delivered' || !isUndeliverable(world, row))
}

export function conditionsOf(world: World, row: DeliveryRow): Omit<RouteConditions, 'reason'> {
  return {
    returns: world.account.capabilities.returns,
    pickedUp: row.history.some((entry) => entry.status === 'pickup_complete'),
  }
}

/** Whether a required check is prohibited at the destination, with nothing to take its place. */
export function isUndeliverable(world: World, row: DeliveryRow): boolean {
  if (!world.account.capabilities.requirementEnforcement) return false
  return impossibleChecks(row.order, namedInstallation(world, row.order.dropoff)).length > 0
}
