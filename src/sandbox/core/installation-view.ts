import type { Gate, Installation, InstallationListItem } from '../../contract/index.js'
import { hoursText } from '../../trade/gate-hours.js'
import type { GateRow, InstallationRow, World } from '../model.js'
import { withFuture, withFutureWord } from './future.js'
import { timestamp } from './timestamp.js'

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
