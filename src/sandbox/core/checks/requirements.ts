import { storeRefusals, unsupportedCargo } from '../magic-tables.js'
import { Refusal } from '../refusal.js'
import type { OrderContext } from './order-context.js'

/** What the account has not enabled. */
export function checkRequirements({ world, order }: OrderContext): void {
  const { capabilities } = world.account
  if (order.dispatch !== undefined && !capabilities.ownedFleetDispatch)
    throw unsupported('dispatch', 'needs an account that dispatches its own fleet')
  if (order.package?.items !== undefined && !capabilities.itemLevelPackage)
    throw unsupported('package.items', 'is not enabled for the account')
  if (order.handling?.undeliverableAction === 'return_to_pickup' && !capabilities.returns)
    throw unsupported('handling.undeliverableAction', 'asks for a return, which is not enabled for the account')
  if (order.package?.contains?.includes(unsupportedCargo) === true)
    throw unsupported('package.contains', `names ${unsupportedCargo}, which is not enabled for the account`)
  if (storeRefusals[order.pickup.storeReference] === 'UNSUPPORTED_REQUIREMENT')
    throw unsupported('pickup.storeReference', 'is a store that supports no requirement')
}

export function unsupported(field: string, message: string): Refusal {
  return new Refusal('UNSUPPORTED_REQUIREMENT', `${field} ${message}.`, {
    fieldErrors: [{ field, code: 'UNSUPPORTED', message }],
  })
}
