import { elevatedFpcon } from '../../trade/installation-policy.js'
import type { InstallationRow } from '../model.js'
import { unservedInstallation } from './fixture-installations.js'

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
