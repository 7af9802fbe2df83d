import { parseAddress } from '../../../contract/index.js'
import { fixtureState } from '../fixture-installations.js'
import { statesOfZip } from '../geo/geography.js'
import { isMagicZip, unknownLine, zipRefusals } from '../magic-tables.js'
import { Refusal } from '../refusal.js'
import type { OrderContext } from './order-context.js'

/** Whether the address can be placed on a map. An unknown ZIP code alone proves nothing. */
export function checkAddress({ order }: Pick<OrderContext, 'order'>): void {
  const reason = addressProblem(order.dropoff.address)
  if (reason === undefined) return
  throw new Refusal('INVALID_ADDRESS', `The address cannot be found: ${reason}.`, {
    fieldErrors: [{ field: 'dropoff.address', code: 'NOT_FOUND', message: reason }],
  })
}

/** Why an address cannot be found; `undefined` where it can. */
export function addressProblem(address: OrderContext['order']['dropoff']['address']): string | undefined {
  const parsed = parseAddress(address)
  if (parsed?.postalCode === undefined) return 'a single line has to end in "City, ST 12345"'
  const zip = parsed.postalCode.slice(0, 5)
  if (parsed.line1.trim().toLowerCase() === unknownLine.toLowerCase()) return 'there is no such street'
  if (zipRefusals[zip] === 'INVALID_ADDRESS') return 'there is no such place'
  if (isMagicZip(zip) || parsed.state === fixtureState) return undefined
  const states = statesOfZip(zip)
  if (states.length === 0 || parsed.state === undefined || states.includes(parsed.state)) return undefined
  return `the ZIP code ${zip} lies in ${states.join(' or ')}, not in ${parsed.state}`
}
