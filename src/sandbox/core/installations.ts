import type { Gate, Installation, InstallationListItem } from '../../contract/index.js'
import { hoursText, nextOpeningMs, opensWithin, openUntilMs } from '../../trade/gate-hours.js'
import { commercialGates, elevatedFpcon } from '../../trade/installation-policy.js'
import type { GateRow, InstallationRow, World } from '../model.js'
import { unservedInstallation } from './fixtures.js'
import { withFuture, withFutureWord } from './hash.js'
import { timestamp } from './trip-times.js'

export function isElevated(installation: Pick<InstallationRow, 'fpconLevel'>): boolean {
  return elevatedFpcon.has(installation.fpconLevel)
}

/** Whether deliveries get in at all, apart from hours: the policy as it stands. */
export function isAccepting(installation: Pick<InstallationRow, 'acceptingDeliveries' | 'fpconLevel'>): boolean {
  return installation.acceptingDeliveries && !isElevated(installation)
}

type AccessBlocker = 'installation_not_served' | 'installation_not_accepting_deliveries' | 'fpcon_elevated'

/** Why nothing can be delivered to an installation whatever the order; `undefined` if something can. */
export function accessBlocker(code: string, installation: InstallationRow | undefined): AccessBlocker | undefined {
  if (installation === undefined || code === unservedInstallation) return 'installation_not_served'
  if (!installation.acceptingDeliveries) return 'installation_not_accepting_deliveries'
  return isElevated(installation) ? 'fpcon_elevated' : undefined
}

/** The cargo attribute that the installation prohibits. Controlled cargo is prohibited at every installation. */
export function cargoBlocker(
  installation: Pick<InstallationRow, 'prohibitedCargo'> | undefined,
  contains: readonly string[],
): string | undefined {
  if (installation === undefined) return undefined
  return contains.find((cargo) => cargo === 'controlled_cargo' || installation.prohibitedCargo.includes(cargo))
}

export function takesDeliveryPoint(
  installation: Pick<InstallationRow, 'supportedDeliveryPoints'>,
  point: string,
): boolean {
  return installation.supportedDeliveryPoints.includes(point)
}

/** The gates that a delivery may use: the one that it names, or every one that admits commercial vehicles. */
export function gatesFor(installation: Pick<InstallationRow, 'gates'>, name: string | undefined): GateRow[] {
  return commercialGates(installation).filter((gate) => name === undefined || gate.name === name)
}

/** Of the commercial gates open at a moment, the one that stays open longest; ties go to the one listed first. */
export function recommendedGate(installation: Pick<InstallationRow, 'gates'>, atMs: number): GateRow | undefined {
  let best: { gate: GateRow; untilMs: number } | undefined
  for (const gate of commercialGates(installation)) {
    const untilMs = openUntilMs(gate, atMs)
    if (untilMs !== undefined && untilMs > (best?.untilMs ?? atMs)) best = { gate, untilMs }
  }
  return best?.gate
}

/** Why a gate that was asked for by name cannot be used at a moment. */
interface GateRefusal {
  reasonCode: 'unknown_gate' | 'gate_not_commercial' | 'gate_closed'
  /** In words that follow the name of the field. */
  reason: string
  /** When it opens next, for a gate that is closed. */
  opensMs?: number | undefined
}

/** `undefined` if the gate can be used. */
export function gateRefusal(installation: InstallationRow, name: string, atMs: number): GateRefusal | undefined {
  const { code, gates } = installation
  const offered = commercialGates(installation).map((gate) => `"${gate.name}"`)
  const others = `commercial vehicles use ${offered.length === 0 ? 'none' : offered.join(', ')}`
  if (!gates.some((gate) => gate.name === name))
    return { reasonCode: 'unknown_gate', reason: `is not a gate of ${code}: "${name}"; ${others}` }
  const usable = gatesFor(installation, name)
  if (usable.length === 0)
    return { reasonCode: 'gate_not_commercial', reason: `does not admit commercial vehicles: "${name}"; ${others}` }
  if (opensWithin(usable, atMs, atMs + 1)) return undefined
  return { reasonCode: 'gate_closed', reason: `is closed: "${name}"`, opensMs: nextOpeningMs(usable, atMs) }
}

/** An installation as a page of the list shows it. */
export function installationListItem(installation: InstallationRow): InstallationListItem {
  const { code, name, branch, state, acceptingDeliveries, accessLevel, photographyPermitted } = installation
  const { supportedDeliveryPoints } = installation
  return { code, name, branch, state, acceptingDeliveries, accessLevel, photographyPermitted, supportedDeliveryPoints }
}

/** An installation with its access policy, as reads of one and events show it. */
export function installationDetail(world: Pick<World, 'switches'>, installation: InstallationRow): Installation {
  const { fpconLevel, imagingRestrictions, permittedProofTypes, prohibitedCargo, gates } = installation
  const listed = installationListItem(installation)
  return withFuture(world, 'installation', {
    ...listed,
    supportedDeliveryPoints: withFutureWord(world, installation.supportedDeliveryPoints, 'parcel_locker'),
    fpconLevel,
    ...(imagingRestrictions === undefined ? {} : { imagingRestrictions }),
    permittedProofTypes: withFutureWord(world, permittedProofTypes, 'geofence'),
    prohibitedCargo,
    gates: gates.map(gateView),
    policyUpdatedAt: timestamp(installation.policyUpdatedAtMs),
  })
}

/** Its schedule is the truth about a gate's hours; the text is made of it. */
function gateView(gate: GateRow): Gate {
  const { name, commercialVehiclesPermitted, timezone } = gate
  return { name, commercialVehiclesPermitted, hours: hoursText(gate), timezone }
}
