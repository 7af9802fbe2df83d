import { commercialGates } from '../../../trade/installation-policy.js'
import type { InstallationRow } from '../../model.js'
import { namedInstallation } from '../geo/places.js'
import { accessBlocker, cargoBlocker, gateRefusal, takesDeliveryPoint } from '../installations.js'
import { Refusal } from '../refusal.js'
import { timestamp } from '../times.js'
import { inconsistent, type OrderContext } from './requirements.js'

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
  const problem = stop.gate === undefined ? undefined : gateProblem(context, installation, stop.gate)
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
function gateProblem({ world, order }: OrderContext, installation: InstallationRow, name: string): string | undefined {
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
