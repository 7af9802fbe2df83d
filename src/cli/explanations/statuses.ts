import {
  deliveryStatuses,
  type KnownDeliveryStatus,
  type KnownEventType,
  type lastDeliveryStatuses,
  type StatusEventType,
} from '../../contract/index.js'
import { stuckMeans } from '../../trade/problems.js'
import { lateMeans } from '../../trade/promise.js'
import { type Explanation, type ExplanationRows, explanationsOf } from './explanation.js'

const wait = 'Nothing to retry: the delivery is in progress.'
const watch = 'dlv deliveries watch <id>'
const over = 'Final. A new order needs a new clientOrderReference.'

const statusRows: ExplanationRows<KnownDeliveryStatus> = {
  scheduled: [
    'The order waits for its time window; dispatch starts shortly before it opens.',
    wait,
    watch,
    'dlv deliveries update <id> --set timeWindows.dropoff.start=…',
  ],
  accepted: ['The order was accepted; the service is looking for a driver.', wait, watch],
  dispatch_failed: [
    'The delivery exists, but no driver could be assigned. It may recover, or end as expired or cancelled.',
    'Do not create it again: any successful update dispatches it again.',
    'dlv deliveries update <id> --set handling.handoff=…',
    'dlv deliveries cancel <id>',
  ],
  reassigning: [
    'The driver dropped out; the service is looking for another one. The delivery is not cancelled.',
    wait,
    watch,
  ],
  driver_assigned: ['A driver has accepted the delivery.', wait, watch],
  driver_enroute_to_pickup: ['The driver is on the way to the store.', wait, watch],
  driver_at_pickup: ['The driver is at the store.', wait, watch],
  pickup_complete: [
    'The driver has the package. From here on only instructions, contact phone and tip can change.',
    wait,
    watch,
  ],
  driver_enroute_to_dropoff: ['The driver is on the way to the recipient.', wait, watch],
  driver_at_dropoff: [
    'The driver has arrived; verifications such as photo, signature or identity happen now.',
    wait,
    watch,
  ],
  delivered: [
    'The recipient has the package, and the proof of delivery is attached.',
    over,
    'dlv deliveries proof <id> --save .',
  ],
  failed: [
    'The delivery could not be completed; statusReasonCode says why. A return to the store may follow.',
    'Depends on the reason.',
    'dlv explain <statusReasonCode>',
    'dlv deliveries get <id>',
  ],
  return_in_progress: ['The package is on the way back to the store.', wait, watch],
  returned: ['The package is back at the store.', over, 'dlv deliveries create --from <id>'],
  cancelled: ['The delivery was cancelled; pricing.cancellationFeeCents is the fee.', over, 'dlv deliveries get <id>'],
  expired: [
    'No driver accepted the delivery in time.',
    over,
    'dlv quotes create --file order.json',
    'dlv deliveries create --from <id>',
  ],
}

export const statusExplanations = explanationsOf('status', statusRows)

const handled = 'Webhooks are sent again until they are acknowledged: process each eventId once.'

const eventRows: ExplanationRows<Exclude<KnownEventType, StatusEventType>> = {
  'delivery.driver_location_updated': [
    "The driver's position changed; sent about every one to two minutes.",
    handled,
    'dlv deliveries watch <id>',
  ],
  'delivery.eta_updated': ['The estimated time of pickup or dropoff changed.', handled, 'dlv deliveries watch <id>'],
  'delivery.proof_of_delivery_added': [
    'A photo, signature, barcode or PIN was captured.',
    handled,
    'dlv deliveries proof <id> --save .',
  ],
  'driver.created': ['A driver joined the fleet.', handled, 'dlv drivers list'],
  'driver.updated': ["A driver's profile changed.", handled, 'dlv drivers get <id>'],
  'driver.deleted': ['A driver left the fleet.', handled, 'dlv drivers list'],
  'driver.duty_changed': ['A driver went on or off duty.', handled, 'dlv drivers list --on-duty'],
  'installation.access_policy_changed': [
    'The access policy of an installation changed: FPCON level, gate hours, proof types or whether it accepts deliveries.',
    'Check scheduled orders to it again.',
    'dlv installations check <code>',
  ],
}

const ofStatuses: Explanation[] = deliveryStatuses.map((status) => {
  const explanation = statusExplanations.find(({ code }) => code === status)
  return {
    kind: 'event type',
    code: `delivery.${status}`,
    meaning: `A delivery became ${status}. ${explanation?.meaning ?? ''}`.trim(),
    retry: handled,
    next: ['dlv events list --delivery <id>', `dlv explain ${status}`],
  }
})

/** The values of an event's `lastDeliveryStatus`. */
const webhookRows: ExplanationRows<(typeof lastDeliveryStatuses)[number]> = {
  pending: [
    'The webhook is not acknowledged yet; the service is still retrying.',
    'Nothing to retry.',
    'dlv webhooks gaps',
  ],
  failed: [
    'The service gave up sending the webhook.',
    'Post it yourself with events replay.',
    'dlv events replay --undelivered --to <url>',
  ],
  no_endpoint_configured: [
    'The account had no webhook endpoint when the event occurred; nothing was sent.',
    'Configure an endpoint, then post past events with events replay.',
    'dlv webhooks listen',
    'dlv events replay --undelivered --to <url>',
  ],
  delivered: ['The endpoint acknowledged the webhook.', 'Nothing to retry.', 'dlv webhooks log'],
}

export const eventExplanations: Explanation[] = [
  ...ofStatuses,
  ...explanationsOf('event type', eventRows),
  ...explanationsOf('webhook state', webhookRows),
]

const notStatus = 'Nothing to retry: the delivery keeps its status, and --problem says why it is listed.'
const list = 'dlv deliveries list --problem'
const board = 'dlv deliveries board'

/** Words of `deliveries list --problem` that are not statuses. */
export const problemExplanations = explanationsOf('problem', {
  late: [lateMeans, notStatus, list, board],
  stuck: [`${stuckMeans}.`, notStatus, list, 'dlv deliveries list --problem --stuck-after 30m', board],
})
