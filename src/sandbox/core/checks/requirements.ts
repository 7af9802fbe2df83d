import { type DeliveryCreate, type QuoteCreate, verificationMechanisms } from '../../../contract/index.js'
import { isRecord } from '../../../shared/json.js'
import type { World } from '../../model.js'
import { storeRefusals, unsupportedCargo } from '../magic-tables.js'
import { Refusal } from '../refusal.js'

/** An order or a request for quotes: a quote needs less of it. */
export type OrderLike = Omit<DeliveryCreate, 'clientOrderReference' | 'dropoff'> &
  Pick<QuoteCreate, 'clientOrderReference' | 'dropoff'>

export interface OrderContext {
  world: World
  order: OrderLike
  purpose: 'create' | 'quote' | 'update'
  /** The body as it was sent, before its schema dropped what it does not know. */
  rawBody?: unknown
}

/** A business rule that an order breaks: 422 with the field that is to blame, and with what it may hold if that is known. */
export function inconsistent(field: string, message: string, allowed?: readonly string[]): Refusal {
  return new Refusal('VALIDATION_ERROR', `${field} ${message}.`, {
    status: 422,
    fieldErrors: [{ field, code: 'INVALID_VALUE', message }],
    ...(allowed === undefined ? {} : { details: { allowed } }),
  })
}

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
