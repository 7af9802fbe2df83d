import type { KnownDeliveryStatus } from '../../contract/index.js'
import { type ExplanationRows, explanationsOf } from './explanation.js'

const wait = 'Nothing to retry: the delivery is in progress.'
const watch = 'dlv deliveries watch <id>'
const over = 'Final. A new order needs a new clientOrderReference.'

const rows: ExplanationRows<KnownDeliveryStatus> = {
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

export const statusExplanations = explanationsOf('status', rows)
