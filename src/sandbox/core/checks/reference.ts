import { terminalStatuses } from '../../../contract/index.js'
import { Refusal } from '../refusal.js'
import type { OrderContext } from './order-context.js'

/** References are unique forever, or only among active deliveries, as the switch says. */
export function checkDuplicate({ world, order, purpose }: OrderContext): void {
  if (purpose !== 'create' || order.clientOrderReference === undefined) return
  const existing = world.deliveryByReference(order.clientOrderReference)
  if (existing === undefined) return
  if (world.switches.duplicates === 'active' && terminalStatuses.has(existing.status)) return
  throw new Refusal('DUPLICATE_ORDER', `A delivery with the reference "${order.clientOrderReference}" exists.`, {
    details: { existingDeliveryId: existing.deliveryId },
  })
}
