import { verificationMechanisms } from '../../../contract/index.js'
import { isRecord } from '../../../shared/json.js'
import { storeRefusals, unsupportedCargo } from '../magic-tables.js'
import { Refusal } from '../refusal.js'
import type { OrderContext } from './order-context.js'

/** Rejects features that the account has not enabled, and mechanisms that no carrier supports. */
export function checkRequirements({ world, order, rawBody }: OrderContext): void {
  const { capabilities } = world.account
  refuseUnknownMechanism(rawBody)
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

/** An unknown field may be ignored; a check that the sender relies on may not. */
export function refuseUnknownMechanism(rawBody: unknown): void {
  const verification = isRecord(rawBody) ? rawBody.verification : undefined
  const dropoff = isRecord(verification) ? verification.dropoff : undefined
  const known: readonly string[] = verificationMechanisms
  const unknown = Object.keys(isRecord(dropoff) ? dropoff : {}).find((name) => !known.includes(name))
  if (unknown === undefined) return
  const field = `verification.dropoff.${unknown.slice(0, 40)}`
  throw unsupported(field, `is not a verification mechanism; those are ${known.join(', ')}`, known)
}

export function unsupported(field: string, message: string, allowed?: readonly string[]): Refusal {
  return new Refusal('UNSUPPORTED_REQUIREMENT', `${field} ${message}.`, {
    fieldErrors: [{ field, code: 'UNSUPPORTED', message }],
    ...(allowed === undefined ? {} : { details: { allowed } }),
  })
}
