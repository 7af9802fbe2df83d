import { isE164, terminalStatuses, undeliverableDestination } from '../../../contract/index.js'
import { didYouMean, suggestions } from '../../../shared/word-match.js'
import { teams } from '../fleet.js'
import { dropoffZip } from '../geo/places.js'
import { ordinaryStores, storeByReference } from '../geo/stores.js'
import { expiredQuoteId, refusedPhone, storeRefusals, zipRefusals } from '../magic-tables.js'
import { Refusal, refusalOf } from '../refusal.js'
import { timestamp } from '../trip-times.js'
import { checkAddress, checkCargo, checkInstallation } from './address.js'
import { checkProviders } from './providers.js'
import { checkRequirements, inconsistent, type OrderContext } from './requirements.js'
import { checkTimes } from './time-windows.js'

/** The rules for an order, in the order in which they are checked, with the fields that each reads. */
const rules: readonly { check: (context: OrderContext) => void; reads: readonly string[] }[] = [
  { check: checkPhone, reads: ['dropoff.contactPhone'] },
  { check: checkStore, reads: ['pickup'] },
  { check: checkTeam, reads: ['dispatch'] },
  { check: checkDuplicate, reads: [] },
  { check: checkQuote, reads: [] },
  { check: checkDestination, reads: ['dropoff.address'] },
  { check: checkInstallation, reads: ['dropoff.installation', 'dropoff.unit.deliveryPoint'] },
  { check: checkCargo, reads: ['dropoff.installation', 'package.contains'] },
  { check: checkRequirements, reads: ['pickup', 'package', 'dispatch', 'handling'] },
  { check: checkTimes, reads: ['timeWindows'] },
  { check: checkAddress, reads: ['dropoff.address', 'dropoff.installation'] },
  { check: checkProviders, reads: ['pickup', 'dropoff.address', 'dropoff.installation', 'package.weightGrams'] },
]

/** Throws the refusal of the first rule that the order breaks. */
export function checkOrder(context: OrderContext): void {
  for (const { check } of rules) check(context)
}

/**
 * Checks an update with only those rules that read a changed field, so that an order that was valid once is
 * not refused for the time that has passed. `changed` holds paths such as `dropoff.contactPhone`.
 */
export function checkChangedFields(context: OrderContext, changed: readonly string[]): void {
  for (const { check, reads } of rules) {
    if (reads.some((field) => changed.some((path) => isWithin(path, field)))) check(context)
  }
}

/** Whether a path is a field, lies in it, or holds it. */
export function isWithin(path: string, field: string): boolean {
  return path === field || path.startsWith(`${field}.`) || field.startsWith(`${path}.`)
}

function checkPhone({ order }: OrderContext): void {
  const phone = order.dropoff.contactPhone
  if (phone === undefined || (isE164(phone) && phone !== refusedPhone)) return
  const message = 'must be an E.164 number such as +12025550142'
  throw new Refusal('INVALID_PHONE_NUMBER', `dropoff.contactPhone ${message}.`, {
    fieldErrors: [{ field: 'dropoff.contactPhone', code: 'INVALID_FORMAT', message }],
  })
}

/** These refusals of a store belong to later rules. */
const refusedLater: ReadonlySet<string> = new Set(['UNSUPPORTED_REQUIREMENT', 'NO_ELIGIBLE_PROVIDERS'])

function checkStore({ order }: OrderContext): void {
  const { storeReference } = order.pickup
  if (storeByReference(storeReference) === undefined) {
    const names = ordinaryStores.map((store) => store.storeReference)
    const near =
      didYouMean(suggestions(storeReference.slice(0, 80), names, 1)) ??
      `The sandbox has ${names[0]} to ${names.at(-1)}.`
    throw new Refusal('INVALID_STORE_REFERENCE', `No store "${storeReference}" is registered. ${near}`, {
      fieldErrors: [{ field: 'pickup.storeReference', code: 'UNKNOWN', message: 'is not a registered store' }],
    })
  }
  const refusal = storeRefusals[storeReference]
  if (refusal !== undefined && !refusedLater.has(refusal)) throw refusalOf(refusal)
}

/** An account without a fleet is refused for directing dispatch at all, later and by another code. */
function checkTeam({ world, order }: OrderContext): void {
  const reference = order.dispatch?.teamReference
  if (reference === undefined || !world.account.capabilities.ownedFleetDispatch) return
  if (teams.some((team) => team.id === reference)) return
  throw new Refusal('INVALID_TEAM_REFERENCE', `No team "${reference}" exists.`, {
    fieldErrors: [{ field: 'dispatch.teamReference', code: 'UNKNOWN', message: 'is not a team of the account' }],
    details: { allowed: teams.map(({ id }) => id) },
  })
}

/** References are unique forever, or only among active deliveries, as the switch says. */
function checkDuplicate({ world, order, purpose }: OrderContext): void {
  if (purpose !== 'create' || order.clientOrderReference === undefined) return
  const existing = world.deliveryByReference(order.clientOrderReference)
  if (existing === undefined) return
  if (world.switches.duplicates === 'active' && terminalStatuses.has(existing.status)) return
  throw new Refusal('DUPLICATE_ORDER', `A delivery with the reference "${order.clientOrderReference}" exists.`, {
    details: { existingDeliveryId: existing.deliveryId },
  })
}

/** A quote holds for the store and the ZIP code that it was made for, until it expires. */
function checkQuote({ world, order, purpose }: OrderContext): void {
  if (purpose !== 'create' || order.quoteId === undefined) return
  if (order.quoteId === expiredQuoteId) throw expired(order.quoteId, undefined)
  const quote = world.quote(order.quoteId)
  if (quote === undefined || quote.accountId !== world.account.accountId)
    throw inconsistent('quoteId', `names no quote of the account: "${order.quoteId}"`)
  if (quote.expiresAtMs <= world.nowMs) throw expired(order.quoteId, quote.expiresAtMs)
  if (quote.storeReference !== order.pickup.storeReference)
    throw inconsistent('quoteId', `was made for the store ${quote.storeReference}`)
  if (quote.postalCode !== dropoffZip(order.dropoff))
    throw inconsistent('quoteId', `was made for the ZIP code ${quote.postalCode}`)
}

function expired(quoteId: string, expiresAtMs: number | undefined): Refusal {
  return new Refusal('QUOTE_EXPIRED', `The quote ${quoteId} has expired. Ask for a new one.`, {
    details: { quoteId, ...(expiresAtMs === undefined ? {} : { expiredAt: timestamp(expiresAtMs) }) },
  })
}

const kinds = {
  military: 'APO, FPO and DPO addresses are not served',
  po_box: 'a post office box cannot be delivered to',
  diplomatic_pouch: 'the diplomatic pouch is not served',
  general_delivery: 'general delivery is not served',
} as const

/** Destinations that no driver can go to, whatever the order. */
function checkDestination({ order }: OrderContext): void {
  const kind = undeliverableDestination(order.dropoff.address)
  const isMagic = zipRefusals[dropoffZip(order.dropoff)] === 'UNSUPPORTED_DESTINATION'
  if (kind === undefined && !isMagic) return
  const message = kind === undefined ? 'this destination is not served' : kinds[kind]
  throw new Refusal('UNSUPPORTED_DESTINATION', `The address leads nowhere that is served: ${message}.`, {
    details: { reasonCode: 'unsupported_destination_type', ...(kind === undefined ? {} : { destinationType: kind }) },
  })
}
