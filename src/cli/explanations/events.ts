import { deliveryStatuses, type KnownEventType, type StatusEventType } from '../../contract/index.js'
import { type Explanation, type ExplanationRows, explanationsOf } from './explanation.js'
import { statusExplanations } from './statuses.js'

const handled = 'Webhooks repeat until they are acknowledged: handle each eventId once.'

const rows: ExplanationRows<Exclude<KnownEventType, StatusEventType>> = {
  'delivery.driver_location_updated': [
    "The driver's position changed; about every one to two minutes.",
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
    'The access policy of an installation changed: protection level, gate hours, proof types or acceptance.',
    'Check scheduled orders to it again.',
    'dlv installations check <code> --to "<address>"',
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

export const eventExplanations: Explanation[] = [...ofStatuses, ...explanationsOf('event type', rows)]
