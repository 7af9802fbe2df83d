import { namedInstallation } from '../geo/places.js'
import { accessBlocker, cargoBlocker, takesDeliveryPoint } from '../installation-access.js'
import { Refusal } from '../refusal.js'
import { inconsistent, type OrderContext } from './order-context.js'

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
    )
  if (stop.gate !== undefined && !installation.gates.some((gate) => gate.name === stop.gate))
    throw inconsistent('dropoff.installation.gate', `names no gate of ${stop.code}: "${stop.gate}"`)
  const point = context.order.dropoff.unit?.deliveryPoint
  if (point !== undefined && !takesDeliveryPoint(installation, point))
    throw inconsistent(
      'dropoff.unit.deliveryPoint',
      `is not supported by ${stop.code}, which offers ${installation.supportedDeliveryPoints.join(', ')}`,
    )
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
): Refusal {
  return new Refusal(code, `The installation ${installationCode} ${says}.`, { details: { installationCode } })
}
