import { parseAddress } from '../../../contract/index.js'
import { statesOfZip } from '../../../trade/zip-states.js'
import type { InstallationRow } from '../../model.js'
import { fixtureState } from '../fixtures.js'
import { distanceKm, locateZip } from '../geo/geography.js'
import { namedInstallation, zipOf } from '../geo/places.js'
import { isMagicZip, unknownLine, zipRefusals } from '../magic-tables.js'
import { Refusal } from '../refusal.js'
import type { OrderContext } from './requirements.js'

/** Maximum distance between an installation and the address of a delivery to it, in a straight line. */
const maximumFromInstallationKm = 60

/**
 * Rejects an address that cannot be located, or that is not at the installation of the order. An unknown ZIP code alone
 * is not a reason.
 */
export function checkAddress({ world, order }: Pick<OrderContext, 'world' | 'order'>): void {
  const { address } = order.dropoff
  const reason = addressProblem(address) ?? mismatchProblem(address, namedInstallation(world, order.dropoff))
  if (reason === undefined) return
  throw new Refusal('INVALID_ADDRESS', `The address cannot be found: ${reason}.`, {
    fieldErrors: [{ field: 'dropoff.address', code: 'NOT_FOUND', message: reason }],
  })
}

/** Why an address cannot be found; `undefined` if it can. */
export function addressProblem(address: OrderContext['order']['dropoff']['address']): string | undefined {
  const parsed = parseAddress(address)
  if (parsed?.postalCode === undefined) return 'a single line has to end in "City, ST 12345"'
  const zip = parsed.postalCode.slice(0, 5)
  if (parsed.line1.trim().toLowerCase() === unknownLine.toLowerCase()) return 'there is no such street'
  if (zipRefusals[zip] === 'INVALID_ADDRESS') return 'there is no such place'
  if (isMagicZip(zip) || parsed.state === fixtureState) return undefined
  const states = statesOfZip(zip)
  if (states.length === 0 || parsed.state === undefined || states.includes(parsed.state)) return undefined
  return `the ZIP code ${zip} is in ${states.join(' or ')}, not in ${parsed.state}`
}

/** Why an address cannot belong to an installation; `undefined` if it can. Invented installations have no real place. */
export function mismatchProblem(
  address: OrderContext['order']['dropoff']['address'],
  installation: InstallationRow | undefined,
): string | undefined {
  if (installation === undefined || installation.state === fixtureState) return undefined
  const { code, state } = installation
  const parsed = parseAddress(address)
  const zip = zipOf({ address })
  if (isMagicZip(zip)) return undefined
  if (parsed?.state !== undefined && parsed.state !== state)
    return `it is in ${parsed.state}, and ${code} is in ${state}`
  const located = locateZip(zip)
  if (located === undefined || located.approximate) return undefined
  const km = distanceKm(located, installation)
  return km > maximumFromInstallationKm ? `the ZIP code ${zip} is about ${Math.round(km)} km from ${code}` : undefined
}
