import type { KnownStatusReasonCode, noQuoteReasons } from '../../contract/index.js'
import { type ExplanationRows, explanationsOf } from './explanation.js'

const again = 'This delivery has ended; a new order may succeed once the cause is gone.'
const gate = 'Not until the cause is gone: the same order fails again at the same gate.'
const check = 'dlv installations check <code>'
const reorder = 'dlv deliveries create --from <id>'

const rows: ExplanationRows<KnownStatusReasonCode> = {
  recipient_unavailable: ['Nobody answered the door or the phone.', again, 'dlv deliveries get <id>', reorder],
  recipient_refused: ['The recipient refused the package.', 'No: ask the recipient first.', 'dlv deliveries get <id>'],
  recipient_not_at_cq: ['The recipient was not at the charge-of-quarters desk.', again, reorder],
  address_not_found: [
    'The driver could not find the address.',
    'Only with a more precise address or instructions.',
    `${reorder} --set dropoff.instructions="…"`,
  ],
  address_inaccessible: [
    'The driver found the address but could not get to it: a locked entrance, a closed road.',
    'Only with instructions that let the driver in.',
    `${reorder} --set dropoff.instructions="…"`,
  ],
  unsupported_destination_type: [
    'Drivers cannot deliver there: military mail (APO, FPO, DPO), a PO box or general delivery.',
    'Only to a street address.',
    check,
  ],
  denied_at_gate: ['The guard turned the driver away.', gate, check, 'dlv installations get <code>'],
  credential_expired: [
    "The driver's credential for the installation has expired.",
    'Yes, with a new order: another driver may have a valid credential.',
    check,
  ],
  credential_not_valid_for_installation: [
    "The driver's credential is for another installation.",
    'Yes, with a new order: another driver may have a valid credential.',
    check,
  ],
  gate_closed: [
    'The gate was closed to commercial vehicles.',
    'Yes, when a gate is open; the check names the gate and the time.',
    check,
    'dlv installations get <code>',
  ],
  fpcon_elevated: ['The FPCON level was raised and deliveries are held.', 'Not before the level is lowered.', check],
  escort_unavailable: [
    'The installation requires an escort, and none was available.',
    'Yes, during the escort hours.',
    check,
  ],
  verification_failed: [
    'A required verification at the dropoff failed.',
    'Only with a verification that the recipient can pass.',
    'dlv deliveries get <id>',
  ],
  age_verification_failed: ['The recipient could not prove their age.', 'No.', 'dlv deliveries get <id>'],
  photography_prohibited_no_substitute: [
    'A photo was required, photography is prohibited there, and the order named no substitute.',
    'Yes, with a substitute.',
    `${reorder} --set verification.dropoff.photo.substituteWhenProhibited=signature`,
  ],
  package_damaged: ['The package was damaged on the way.', 'Yes, with a new package.', reorder],
  package_not_ready: ['The package was not ready for pickup.', 'Yes, once it is ready.', reorder],
  no_carrier_available: ['No driver was available.', 'Yes, later.', 'dlv quotes create --file order.json', reorder],
  outside_service_area: [
    'The dropoff is too far from the store.',
    'No: choose a nearer store.',
    'dlv quotes create --file order.json',
  ],
  quote_expired: [
    'The quote expired before dispatch.',
    'Yes, with a new quote.',
    'dlv quotes create --file order.json',
    reorder,
  ],
  cancelled_by_merchant: ['This account cancelled the delivery.', 'Nothing to retry.', 'dlv deliveries get <id>'],
  cancelled_by_recipient: ['The recipient cancelled the delivery.', 'Nothing to retry.', 'dlv deliveries get <id>'],
  cancelled_by_carrier: ['The carrier cancelled the delivery.', again, reorder],
  cancelled_by_service: ['The service cancelled the delivery.', again, 'dlv deliveries get <id>'],
  weather_or_road_closure: ['Weather or a road closure stopped the delivery.', 'Yes, once the road is open.', reorder],
}

const quoteRows: ExplanationRows<(typeof noQuoteReasons)[number]> = {
  OUTSIDE_COVERAGE: [
    'No carrier serves this route: it is too long or leaves the service area.',
    'No: choose a nearer store.',
    'dlv quotes create --file order.json --store <nearer>',
  ],
  NO_CAPACITY: ['No driver is available right now.', 'Yes, later.', 'dlv quotes create --file order.json'],
  OUTSIDE_HOURS: [
    'The pickup is outside the opening hours of the store. Only quotes and scheduled windows are bound to them: without a window, the order itself can be created.',
    'Yes, during opening hours.',
    'dlv quotes create --file order.json --window <start>/<end>',
  ],
  REQUIREMENT_UNSUPPORTED: [
    'No carrier meets a requirement of the order: a verification, the cargo, the weight, or a credential for the installation.',
    'Only with other requirements.',
    'dlv capabilities',
    check,
  ],
}

export const reasonExplanations = [...explanationsOf('reason', rows), ...explanationsOf('no-quote reason', quoteRows)]
