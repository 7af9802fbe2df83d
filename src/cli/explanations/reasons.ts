import type { KnownStatusReasonCode, noQuoteReasons } from '../../contract/index.js'
import { type ExplanationRows, explanationsOf } from './explanation.js'

const again = 'A new order may succeed once the cause is gone; this one is over.'
const gate = 'No: the same order fails again at the same gate until its cause is gone.'
const check = 'dlv installations check <code> --to "<address>"'
const reorder = 'dlv deliveries create --file order.json --set clientOrderReference=<new>'

const rows: ExplanationRows<KnownStatusReasonCode> = {
  recipient_unavailable: ['Nobody answered at the door or on the phone.', again, 'dlv deliveries get <id>', reorder],
  recipient_refused: [
    'The recipient would not take the goods.',
    'No: ask the recipient first.',
    'dlv deliveries get <id>',
  ],
  recipient_not_at_cq: ['The recipient was not at the charge-of-quarters desk.', again, reorder],
  address_not_found: [
    'The driver could not find the address.',
    'Only with a better address or instructions.',
    `${reorder} --set dropoff.instructions="…"`,
  ],
  address_inaccessible: [
    'The address is known, but could not be reached (a locked entrance, a closed road).',
    'Only with instructions that get the driver in.',
    `${reorder} --set dropoff.instructions="…"`,
  ],
  unsupported_destination_type: [
    'No driver can deliver there: military mail (APO, FPO, DPO), a PO box, general delivery.',
    'No: it needs a street address.',
    check,
  ],
  denied_at_gate: ['The guard turned the driver away.', gate, check, 'dlv installations get <code>'],
  credential_expired: [
    "The driver's credential for the installation had run out.",
    'Another driver may succeed: order again.',
    check,
  ],
  credential_not_valid_for_installation: [
    "The driver's credential is for another installation.",
    'Another driver may succeed: order again.',
    check,
  ],
  gate_closed: [
    'The gate was closed to commercial vehicles.',
    'Yes, when a gate is open: the check names the gate and the time.',
    check,
    'dlv installations get <code>',
  ],
  fpcon_elevated: [
    'The force protection level was raised, and deliveries are held.',
    'Not before the level goes down.',
    check,
  ],
  escort_unavailable: [
    'The installation asks for an escort, and none was there.',
    'Yes, within the escort hours.',
    check,
  ],
  verification_failed: [
    'A required check at the door could not be met.',
    'Only with a check that can be met.',
    'dlv deliveries get <id>',
  ],
  age_verification_failed: ['The recipient could not show to be old enough.', 'No.', 'dlv deliveries get <id>'],
  photography_prohibited_no_substitute: [
    'A photo was required where photography is prohibited, and no substitute was named.',
    'Yes, with a substitute.',
    `${reorder} --set verification.dropoff.photo.substituteWhenProhibited=signature`,
  ],
  package_damaged: ['The goods were damaged on the way.', 'With new goods.', reorder],
  package_not_ready: ['The store did not have the goods ready.', 'Yes, once they are ready.', reorder],
  no_carrier_available: ['No driver was free.', 'Yes, later.', 'dlv quotes create --file order.json', reorder],
  outside_service_area: [
    'The route is longer than any driver goes.',
    'No: choose a nearer store.',
    'dlv quotes create --file order.json',
  ],
  quote_expired: ['The quote lapsed before dispatch.', 'Yes, with a new quote.', 'dlv quotes create --file order.json'],
  cancelled_by_merchant: [
    'The order was cancelled through this account.',
    'Nothing to retry.',
    'dlv deliveries get <id>',
  ],
  cancelled_by_recipient: ['The recipient cancelled.', 'Nothing to retry.', 'dlv deliveries get <id>'],
  cancelled_by_carrier: ['The carrier gave the order back.', again, reorder],
  cancelled_by_service: ['The service cancelled the order.', again, 'dlv deliveries get <id>'],
  weather_or_road_closure: ['Weather or a closed road stopped the delivery.', 'Yes, once the way is clear.', reorder],
}

const quoteRows: ExplanationRows<(typeof noQuoteReasons)[number]> = {
  OUTSIDE_COVERAGE: [
    'No carrier serves this route: it is too long, or leaves the area.',
    'No: choose a nearer store.',
    'dlv quotes create --file order.json --store <nearer>',
  ],
  NO_CAPACITY: ['No driver is free right now.', 'Yes, later.', 'dlv quotes create --file order.json'],
  OUTSIDE_HOURS: [
    'The pickup is outside the hours of the store.',
    'Yes, within its hours.',
    'dlv quotes create --file order.json --set timeWindows.deliveryMode=scheduled',
  ],
  REQUIREMENT_UNSUPPORTED: [
    'No carrier offers what the order asks for: a check, the cargo, the weight, or a credential for the installation.',
    'Only with other requirements.',
    'dlv capabilities',
    check,
  ],
}

export const reasonExplanations = [...explanationsOf('reason', rows), ...explanationsOf('no-quote reason', quoteRows)]
