import { teams } from '../fleet.js'
import { refusalOf } from '../forced-refusals.js'
import { storeByReference } from '../geo/stores.js'
import { storeRefusals } from '../magic-tables.js'
import { Refusal } from '../refusal.js'
import type { OrderContext } from './order-context.js'

/** Requirements and providers are looked at later, so that a store that lacks them is refused in its turn. */
const refusedLater: ReadonlySet<string> = new Set(['UNSUPPORTED_REQUIREMENT', 'NO_ELIGIBLE_PROVIDERS'])

export function checkStore({ order }: OrderContext): void {
  const { storeReference } = order.pickup
  if (storeByReference(storeReference) === undefined)
    throw new Refusal('INVALID_STORE_REFERENCE', `No store "${storeReference}" is registered.`, {
      fieldErrors: [{ field: 'pickup.storeReference', code: 'UNKNOWN', message: 'is not a registered store' }],
    })
  const refusal = storeRefusals[storeReference]
  if (refusal !== undefined && !refusedLater.has(refusal)) throw refusalOf(refusal)
}

/** An account without a fleet is refused for directing dispatch at all, later and by another code. */
export function checkTeam({ world, order }: OrderContext): void {
  const reference = order.dispatch?.teamReference
  if (reference === undefined || !world.account.capabilities.ownedFleetDispatch) return
  if (teams.some((team) => team.id === reference)) return
  throw new Refusal('INVALID_TEAM_REFERENCE', `No team "${reference}" exists.`, {
    fieldErrors: [{ field: 'dispatch.teamReference', code: 'UNKNOWN', message: 'is not a team of the account' }],
    details: { allowed: teams.map(({ id }) => id) },
  })
}
