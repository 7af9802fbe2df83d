import {
  initialStatuses,
  type KnownDeliveryStatus,
  type KnownStatusReasonCode,
  statusesWithReason,
  statusTransitions,
  terminalStatuses,
} from '../../contract/index.js'
import type { DeliveryRow } from '../model.js'
import type { DeliveryDraft } from './delivery-draft.js'
import { deliveryEvent, statusEventType } from './events.js'
import { sideEffects } from './side-effects.js'
import { contentFaultsOf, locationBurst } from './webhook-faults.js'

export interface StatusStep {
  reason?: KnownStatusReasonCode | undefined
  /** Written to the history without an event: a milestone that is inferred. */
  isSilent?: boolean
  /** Its event is the only one: what it brings about happens without events of its own. */
  isAlone?: boolean
  /** The status that the event calls the previous one, if silent steps came before. */
  previousStatus?: KnownDeliveryStatus
}

/**
 * Moves a delivery to a status: what follows from it, its place in the history, its event.
 *
 * @throws Error if the lifecycle does not allow the move
 */
export function enterStatus(draft: DeliveryDraft, status: KnownDeliveryStatus, step: StatusStep = {}): void {
  const { row } = draft
  const isFirst = row.history.length === 0
  if (!isLegal(row, status)) throw new Error(`no delivery goes from ${row.status} to ${status}`)
  const from = row.shownStatus ?? row.status
  delete row.shownStatus
  sideEffects[status]?.(draft, step.isSilent === true || step.isAlone === true)
  row.status = status
  row.updatedAtMs = draft.tick()
  setReason(row, status, step.reason)
  draft.addToHistory(status)
  if (step.isSilent === true) return
  const previousStatus = step.previousStatus ?? from
  draft.events.push(
    deliveryEvent(draft.world, row, statusEventType(status), row.updatedAtMs, isFirst ? {} : { previousStatus }),
  )
  addFaultEvents(draft)
}

function setReason(row: DeliveryRow, status: KnownDeliveryStatus, reason: KnownStatusReasonCode | undefined): void {
  delete row.statusReason
  delete row.statusReasonCode
  if (reason === undefined || !statusesWithReason.has(status)) return
  row.statusReasonCode = reason
  row.statusReason = statusReasonTexts[reason]
}

function isLegal(row: DeliveryRow, to: KnownDeliveryStatus): boolean {
  if (row.history.length > 0) return statusTransitions[row.status].includes(to)
  return (initialStatuses as readonly string[]).includes(to)
}

/** Adds the events that the order asked for by its faults to the one of the status that it has just reached. */
function addFaultEvents(draft: DeliveryDraft): void {
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

/** The `statusReason` that accompanies each `statusReasonCode`: prose for people, which may change. */
const statusReasonTexts: Readonly<Record<KnownStatusReasonCode, string>> = {
  recipient_unavailable: 'Nobody was there to receive the delivery.',
  recipient_refused: 'The recipient refused the delivery.',
  recipient_not_at_cq: 'The recipient was not at the CQ desk.',
  address_not_found: 'The driver could not find the address.',
  address_inaccessible: 'The driver could not reach the address.',
  unsupported_destination_type: 'Destinations of this type are not served.',
  denied_at_gate: 'The driver was turned away at the gate.',
  credential_expired: "The driver's credential has expired.",
  credential_not_valid_for_installation: "The driver's credential is not valid for this installation.",
  gate_closed: 'Every gate for commercial vehicles is closed.',
  fpcon_elevated: 'Deliveries are not admitted under the current force protection condition.',
  escort_unavailable: 'No escort was available at the gate.',
  verification_failed: 'A required verification failed at the stop.',
  age_verification_failed: 'The recipient is under age or could not prove their age.',
  photography_prohibited_no_substitute: 'Photography is prohibited there and no substitute was named.',
  package_damaged: 'The package was damaged in transit.',
  package_not_ready: 'The store did not have the package ready.',
  no_carrier_available: 'No driver could be found.',
  outside_service_area: 'No driver serves this area.',
  quote_expired: 'The quote expired before a driver was found.',
  cancelled_by_merchant: 'The merchant cancelled the delivery.',
  cancelled_by_recipient: 'The recipient cancelled the delivery.',
  cancelled_by_carrier: 'The carrier cancelled the delivery.',
  cancelled_by_service: 'The service cancelled the delivery.',
  weather_or_road_closure: 'The weather or a closed road made the trip impossible.',
}
