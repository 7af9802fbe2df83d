import type { KnownDeliveryStatus } from '../../contract/index.js'
import { type ExplanationRows, explanationsOf } from './explanation.js'

const wait = 'Nothing to retry: the delivery is under way.'
const watch = 'dlv deliveries watch <id>'
const over = 'Final: nothing follows. A new order needs a new clientOrderReference.'

const rows: ExplanationRows<KnownDeliveryStatus> = {
  scheduled: [
    'The order is waiting for its time window; dispatch starts shortly before it opens.',
    wait,
    watch,
    'dlv deliveries update <id> --set timeWindows.dropoff.start=…',
  ],
  accepted: ['The order was taken and a driver is being looked for.', wait, watch],
  dispatch_failed: [
    'The order exists, but no driver could be assigned. It may recover, or end in expired or cancelled.',
    'Do not create it again. Any successful update dispatches it anew.',
    'dlv deliveries update <id> --set handling.handoff=…',
    'dlv deliveries cancel <id>',
  ],
  reassigning: ['The driver was lost and another one is being looked for; the order is not cancelled.', wait, watch],
  driver_assigned: ['A driver has taken the order.', wait, watch],
  driver_enroute_to_pickup: ['The driver is on the way to the store.', wait, watch],
  driver_at_pickup: ['The driver is at the store.', wait, watch],
  pickup_complete: [
    'The driver has the goods. From here only instructions, contact phone and tip can change.',
    wait,
    watch,
  ],
  driver_enroute_to_dropoff: ['The driver is on the way to the recipient.', wait, watch],
  driver_at_dropoff: [
    'The driver is at the door; checks such as photo, signature or identity happen now.',
    wait,
    watch,
  ],
  delivered: ['The recipient has the goods, and the proof is attached.', over, 'dlv deliveries proof <id> --save .'],
  failed: [
    'The stop could not be completed; statusReasonCode says why. A return to the store may follow.',
    'Depends on the reason: dlv explain <statusReasonCode>',
    'dlv deliveries get <id>',
  ],
  return_in_progress: ['The goods are on the way back to the store.', wait, watch],
  returned: [
    'The goods are back at the store.',
    over,
    'dlv deliveries create --file order.json --set clientOrderReference=<new>',
  ],
  cancelled: [
    'The order was cancelled; pricing.cancellationFeeCents is what it cost.',
    over,
    'dlv deliveries get <id>',
  ],
  expired: [
    'Nobody took the order in time.',
    over,
    'dlv quotes create --file order.json',
    'dlv deliveries create --file order.json --set clientOrderReference=<new>',
  ],
}

export const statusExplanations = explanationsOf('status', rows)
