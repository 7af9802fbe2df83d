import { terminalStatuses } from '../../contract/index.js'
import type { DeliveryDraft } from './delivery-draft.js'
import { deliveryEvent } from './events.js'
import { contentFaultsOf, locationBurst } from './webhook-faults.js'

/** Adds the events that the order asked for by its faults to the one of the status that it has just reached. */
export function addFaultEvents(draft: DeliveryDraft): void {
  const { row } = draft
  const faults = contentFaultsOf(row.hooks)
  if (faults.includes('unknowntype')) draft.inform('delivery.teleported')
  if (faults.includes('locationburst') && row.status === 'driver_enroute_to_dropoff') burst(draft)
  if (faults.includes('latearrival') && terminalStatuses.has(row.status)) tellLate(draft)
}

function burst(draft: DeliveryDraft): void {
  for (let step = 0; step < locationBurst.length; step++) {
    const { location } = draft.row
    if (location !== undefined) {
      const latitude = Math.round((location.latitude + locationBurst.stepDegrees) * 1e5) / 1e5
      draft.row.location = { ...location, latitude, updatedAtMs: draft.nextMs }
    }
    draft.inform('delivery.driver_location_updated')
  }
}

/** An event of the status before, which comes when everything is over. */
function tellLate({ world, row, events }: DeliveryDraft): void {
  const earlier = row.history.at(-2)
  if (earlier === undefined) return
  const before = { ...row, shownStatus: earlier.status, proofs: [] }
  events.push(deliveryEvent(world, before, 'delivery.driver_location_updated', earlier.atMs))
}
