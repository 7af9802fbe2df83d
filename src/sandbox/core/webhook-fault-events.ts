import { terminalStatuses } from '../../contract/index.js'
import type { EventDraft } from '../model.js'
import type { DeliveryDraft } from './delivery-draft.js'
import { deliveryEvent } from './events.js'
import { contentFaultsOf } from './webhook-faults.js'

const burstSize = 20

/** Events that the order asked for by its faults, beside the one of the status that it has just reached. */
export function faultEventsAfter({ world, row }: DeliveryDraft): EventDraft[] {
  const faults = contentFaultsOf(row.hooks)
  const events: EventDraft[] = []
  if (faults.includes('unknowntype')) events.push(deliveryEvent(world, row, 'delivery.teleported', row.updatedAtMs))
  if (faults.includes('locationburst') && row.status === 'driver_enroute_to_dropoff') {
    for (let index = 0; index < burstSize; index++)
      events.push(deliveryEvent(world, row, 'delivery.driver_location_updated', row.updatedAtMs))
  }
  if (faults.includes('latearrival') && terminalStatuses.has(row.status)) {
    const [earlier = row.history[0]] = row.history.slice(-2)
    if (earlier !== undefined && earlier.status !== row.status) {
      const before = { ...row, shownStatus: earlier.status, proofs: [] }
      events.push(deliveryEvent(world, before, 'delivery.driver_location_updated', earlier.atMs))
    }
  }
  return events
}
