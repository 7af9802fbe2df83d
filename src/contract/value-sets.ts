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

/**
 * Every set of values that responses are read by or requests consist of, by how the contract lists it. `closed`: it lists
 * them all. `open`: it lists them, and says that others can be added without notice. `seen`: it shows some ("values seen")
 * and does not say whether there are others, so that another one differs from nothing.
 */
export const valueSets: Readonly<Record<'closed' | 'open' | 'seen', readonly (readonly string[])[]>> = {
  closed: [branches, accountTypes, healthStatuses, deliveryModes, dispatchModes, verificationLevels],
  open: [
    deliveryStatuses,
    eventTypes,
    deliveryEventTypes,
    driverEventTypes,
    installationEventTypes,
    errorCodes,
    statusReasonCodes,
  ],
  seen: [
    proofTypes,
    // The stage of a proof.
    ['dropoff'],
    verificationMechanisms,
    driverStatuses,
    lastDeliveryStatuses,
    accessLevels,
    fpconLevels,
    // Imaging restrictions.
    ['no_recording_devices'],
    deliveryPoints,
    permittedProofTypes,
    noQuoteReasons,
    cargoAttributes,
    handoffs,
    undeliverableActions,
  ],
}

const seen = new Set(valueSets.seen.map((values) => values.join()))

/** Whether the contract shows these values and does not say whether there are others. */
export function areOnlySeen(values: readonly string[]): boolean {
  return seen.has(values.join())
}
