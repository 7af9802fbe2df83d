import {
  deliveryStatuses,
  type KnownEventType,
  type lastDeliveryStatuses,
  type StatusEventType,
} from '../../contract/index.js'
import { type Explanation, type ExplanationRows, explanationsOf } from './explanation.js'
import { statusExplanations } from './statuses.js'

const handled = 'Webhooks are sent again until they are acknowledged: process each eventId once.'

const rows: ExplanationRows<Exclude<KnownEventType, StatusEventType>> = {
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
  ...explanationsOf('event type', rows),
  ...explanationsOf('webhook state', webhookRows),
]
