import { checkAddress } from './address.js'
import { checkPhone } from './contact.js'
import { checkDestination } from './destination.js'
import { checkCargo, checkInstallation } from './installation.js'
import type { OrderContext } from './order-context.js'
import { checkStore, checkTeam } from './pickup.js'
import { checkProviders } from './providers.js'
import { checkQuote } from './quote-use.js'
import { checkDuplicate } from './reference.js'
import { checkRequirements } from './requirements.js'
import { checkTimes } from './time-windows.js'

/** Every rule that an order has to keep, in the order in which they are looked at, with the fields that each reads. */
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
