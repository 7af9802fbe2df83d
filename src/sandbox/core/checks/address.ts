import { parseAddress } from '../../../contract/index.js'
import { commercialGates } from '../../../trade/installation-policy.js'
import { statesOfZip } from '../../../trade/zip-states.js'
import type { InstallationRow } from '../../model.js'
import { fixtureState } from '../fixtures.js'
import { distanceKm, locateZip } from '../geo/geography.js'
import { dropoffZip, namedInstallation } from '../geo/places.js'
import { accessBlocker, cargoBlocker, gateRefusal, takesDeliveryPoint } from '../installations.js'
import { isMagicZip, unknownLine, zipRefusals } from '../magic-tables.js'
import { Refusal } from '../refusal.js'
import { timestamp } from '../trip-times.js'
import { inconsistent, type OrderContext } from './requirements.js'

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
  const zip = dropoffZip({ address })
  if (isMagicZip(zip)) return undefined
  if (parsed?.state !== undefined && parsed.state !== state)
    return `it is in ${parsed.state}, and ${code} is in ${state}`
  const located = locateZip(zip)
  if (located === undefined || located.approximate) return undefined
  const km = distanceKm(located, installation)
  return km > maximumFromInstallationKm ? `the ZIP code ${zip} is about ${Math.round(km)} km from ${code}` : undefined
}

/** Whether the installation is served and takes deliveries, and has the gate and the delivery point asked for. */
export function checkInstallation(context: OrderContext): void {
  const stop = context.order.dropoff.installation
  if (stop?.code === undefined) return
  const installation = namedInstallation(context.world, context.order.dropoff)
  const blocker = accessBlocker(stop.code, installation)
  if (blocker === 'installation_not_served' || installation === undefined)
    throw refusal('INSTALLATION_NOT_SERVED', stop.code, 'is not served')
  if (blocker === 'installation_not_accepting_deliveries')
    throw refusal('INSTALLATION_NOT_ACCEPTING_DELIVERIES', stop.code, 'takes no deliveries at present')
  if (blocker === 'fpcon_elevated')
    throw refusal(
      'INSTALLATION_NOT_ACCEPTING_DELIVERIES',
      stop.code,
      `takes no deliveries under force protection condition ${installation.fpconLevel}`,
      { fpconLevel: installation.fpconLevel },
    )
  const problem = stop.gate === undefined ? undefined : gateFault(context, installation, stop.gate)
  if (problem !== undefined) throw inconsistent('dropoff.installation.gate', problem, gateNames(installation))
  const point = context.order.dropoff.unit?.deliveryPoint
  if (point !== undefined && !takesDeliveryPoint(installation, point))
    throw inconsistent(
      'dropoff.unit.deliveryPoint',
      `is not supported by ${stop.code}, which offers ${installation.supportedDeliveryPoints.join(', ')}`,
      installation.supportedDeliveryPoints,
    )
}

/** A gate that an order names has to exist, admit commercial vehicles and, for an order that starts now, be open. */
function gateFault({ world, order }: OrderContext, installation: InstallationRow, name: string): string | undefined {
  const refusal = gateRefusal(installation, name, world.nowMs)
  if (refusal === undefined) return undefined
  const isLater = refusal.reasonCode === 'gate_closed' && order.timeWindows?.deliveryMode === 'scheduled'
  if (isLater) return undefined
  const opens = refusal.opensMs === undefined ? '' : ` until ${timestamp(refusal.opensMs)}`
  return `${refusal.reason}${opens}`
}

function gateNames(installation: InstallationRow): string[] {
  return commercialGates(installation).map(({ name }) => name)
}

export function checkCargo(context: OrderContext): void {
  const installation = namedInstallation(context.world, context.order.dropoff)
  const prohibited = cargoBlocker(installation, context.order.package?.contains ?? [])
  if (installation === undefined || prohibited === undefined) return
  throw new Refusal('PROHIBITED_CARGO_FOR_DESTINATION', `${installation.name} prohibits ${prohibited}.`, {
    details: { installationCode: installation.code, prohibitedCargo: installation.prohibitedCargo },
  })
}

function refusal(
  code: 'INSTALLATION_NOT_SERVED' | 'INSTALLATION_NOT_ACCEPTING_DELIVERIES',
  installationCode: string,
  says: string,
  details: Record<string, unknown> = {},
): Refusal {
  const message = `The installation ${installationCode} ${says}.`
  return new Refusal(code, message, { details: { installationCode, ...details } })
}
