import { eligibleDrivers } from '../driver-choice.js'
import { dropoffZip, locateStop, roadKm } from '../geo/places.js'
import { storeByReference } from '../geo/stores.js'
import {
  neverServedReasons,
  storeNoQuoteReasons,
  storeRefusals,
  zipNoQuoteReasons,
  zipRefusals,
} from '../magic-tables.js'
import { maximumDistanceKm, maximumWeightGrams } from '../pricing.js'
import { Refusal } from '../refusal.js'
import type { OrderContext } from './requirements.js'

/** Whether any carrier could ever serve the order; a temporary lack of drivers is not a reason to refuse it. */
export function checkProviders(context: OrderContext): void {
  if (context.purpose === 'quote') return
  const problem = providerProblem(context)
  if (problem !== undefined)
    throw new Refusal('NO_ELIGIBLE_PROVIDERS', `No provider serves this order: ${problem.why}.`, {
      details: problem.details,
    })
  if (!hasCredentialedDriver(context))
    throw new Refusal(
      'NO_CREDENTIALED_DRIVER_AVAILABLE',
      `No driver has a current credential for ${context.order.dropoff.installation?.code}.`,
      { details: { installationCode: context.order.dropoff.installation?.code } },
    )
}

/** Whether some driver on duty may enter the installation; true if none is named. */
export function hasCredentialedDriver({ world, order }: Pick<OrderContext, 'world' | 'order'>): boolean {
  const installationCode = order.dropoff.installation?.code
  if (installationCode === undefined) return true
  const teamReference = order.dispatch?.teamReference
  return eligibleDrivers(world, { installationCode, teamReference }, world.nowMs).length > 0
}

interface ProviderProblem {
  why: string
  noQuoteReason: string
  details: Record<string, unknown>
}

/** Why no carrier could ever serve the order, in words and as a reason for no quote. */
export function providerProblem({ world, order }: Pick<OrderContext, 'world' | 'order'>): ProviderProblem | undefined {
  const { storeReference } = order.pickup
  const zip = dropoffZip(order.dropoff)
  if (storeRefusals[storeReference] === 'NO_ELIGIBLE_PROVIDERS' || zipRefusals[zip] === 'NO_ELIGIBLE_PROVIDERS')
    return { why: 'nobody drives there', noQuoteReason: 'OUTSIDE_COVERAGE', details: {} }
  const magic = storeNoQuoteReasons[storeReference] ?? zipNoQuoteReasons[zip]
  if (magic !== undefined && neverServedReasons.has(magic))
    return { why: 'nobody drives there', noQuoteReason: magic, details: {} }
  const store = storeByReference(storeReference)
  const stop = locateStop(world, order.dropoff)
  const distanceKm = store === undefined ? 0 : roadKm(store, stop)
  if (distanceKm > maximumDistanceKm) {
    // Of a ZIP code that no table has, only the area is known.
    const shown = stop?.approximate === true ? `about ${Math.round(distanceKm)}` : distanceKm.toFixed(1)
    const why = `the distance is ${shown} km, more than ${maximumDistanceKm} km`
    const details = { distanceKm: Number(distanceKm.toFixed(1)), maximumDistanceKm }
    return { why, noQuoteReason: 'OUTSIDE_COVERAGE', details }
  }
  const grams = order.package?.weightGrams ?? 0
  if (grams <= maximumWeightGrams) return undefined
  const why = `${grams} g is more than ${maximumWeightGrams} g`
  return { why, noQuoteReason: 'REQUIREMENT_UNSUPPORTED', details: { weightGrams: grams, maximumWeightGrams } }
}
