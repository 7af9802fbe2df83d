import { proofTypes } from './deliveries.js'
import { driverStatuses } from './drivers.js'
import { errorCodes } from './error-codes.js'
import { deliveryEventTypes, driverEventTypes, eventTypes, installationEventTypes } from './event-types.js'
import { lastDeliveryStatuses } from './events.js'
import { accessLevels, branches, fpconLevels, permittedProofTypes } from './installations.js'
import {
  cargoAttributes,
  deliveryModes,
  dispatchModes,
  handoffs,
  undeliverableActions,
  verificationLevels,
  verificationMechanisms,
} from './orders.js'
import { accountTypes, healthStatuses } from './platform.js'
import { noQuoteReasons } from './quotes.js'
import { deliveryStatuses, statusReasonCodes } from './status-words.js'
import { deliveryPoints } from './stops.js'

/** The values of a field that this version knows. */
export interface ValueSet {
  /** In the order of the contract. */
  values: readonly string[]
  /**
   * closed: the contract lists them all. open: it lists them, and says that others can be added without notice. seen: it
   * shows some and does not say whether there are others, so that another one differs from nothing.
   */
  kind: 'closed' | 'open' | 'seen'
  /** What the contract says, in its words. */
  text: string
}

const added =
  'ship without notice: new optional request fields, new properties on response objects, new enum values (`DeliveryStatus`, `eventType`, error `code`)'

/** Every set of values that responses are read by or requests consist of, with what the contract says of it. */
export const valueSets: readonly ValueSet[] = [
  { values: deliveryStatuses, kind: 'open', text: added },
  { values: eventTypes, kind: 'open', text: added },
  { values: deliveryEventTypes, kind: 'open', text: added },
  { values: driverEventTypes, kind: 'open', text: added },
  { values: installationEventTypes, kind: 'open', text: added },
  { values: errorCodes, kind: 'open', text: added },
  { values: statusReasonCodes, kind: 'open', text: 'Status reason codes (`statusReasonCode`) by group' },
  { values: branches, kind: 'closed', text: 'branch | string: `army`, `navy`, `air_force`, `marine_corps`' },
  { values: accountTypes, kind: 'closed', text: 'accountType | string: `marketplace` or `owned_fleet`' },
  { values: healthStatuses, kind: 'closed', text: '`status` (`healthy` or `degraded`)' },
  { values: proofTypes, kind: 'seen', text: 'type values seen: `photo`, `signature`, `barcode`, `pincode`' },
  { values: ['dropoff'], kind: 'seen', text: 'stage value seen: `dropoff`' },
  {
    values: verificationMechanisms,
    kind: 'seen',
    text: '`derived[]` list of what was added and a `suppressed[]` list of what was refused and why',
  },
  { values: driverStatuses, kind: 'seen', text: 'Other values of driver `status`: not shown' },
  {
    values: lastDeliveryStatuses,
    kind: 'seen',
    text: '`lastDeliveryStatus` (`pending`, `failed` or `no_endpoint_configured`)',
  },
  { values: accessLevels, kind: 'seen', text: 'values seen: `id_required`, `escort_required`, `restricted`' },
  { values: fpconLevels, kind: 'seen', text: 'values seen: `normal`, `bravo`' },
  { values: ['no_recording_devices'], kind: 'seen', text: '(value seen: `no_recording_devices`)' },
  { values: deliveryPoints, kind: 'seen', text: 'values seen: `cq_desk`, `mailroom`, `gate_handoff`' },
  { values: permittedProofTypes, kind: 'seen', text: 'values seen: `signature`, `pin_code`, `barcode`' },
  {
    values: noQuoteReasons,
    kind: 'seen',
    text: 'a lower-case form such as `outside_service_area` also appears in a sample response',
  },
  { values: deliveryModes, kind: 'closed', text: '`asap` or `scheduled`' },
  { values: dispatchModes, kind: 'closed', text: '`team_queue` or `auto_assign`' },
  { values: verificationLevels, kind: 'closed', text: '`level`: `required`, `preferred` or `none`' },
  { values: cargoAttributes, kind: 'seen', text: 'Values seen: `alcohol`, `perishable_cold_chain`' },
  { values: handoffs, kind: 'seen', text: 'Values seen: `hand_to_recipient`, `cq_desk`' },
  { values: undeliverableActions, kind: 'seen', text: 'Values seen: `return_to_pickup`, `fallback_handoff`' },
]

const kinds = new Map(valueSets.map(({ values, kind }) => [values.join(), kind]))

/** The kind of a set of values; `undefined` if the table does not have it. */
export function kindOfValues(values: readonly string[]): ValueSet['kind'] | undefined {
  return kinds.get(values.join())
}
