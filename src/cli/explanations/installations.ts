import type { accessLevels, deliveryPoints, fpconLevels, permittedProofTypes } from '../../contract/index.js'
import { type ExplanationRows, explanationsOf } from './explanation.js'

const show = 'dlv installations get <code>'
const check = 'dlv installations check <code>'
const beforeOrder = 'Check the installation before each order; its policy may change at any time.'
const nothing = 'Nothing to retry.'

const accessRows: ExplanationRows<(typeof accessLevels)[number]> = {
  id_required: ['Drivers show an ID at the gate of the installation.', beforeOrder, check, show],
  escort_required: ['Drivers need an escort on the installation, during its escort hours.', beforeOrder, check, show],
  restricted: [
    'Entry is restricted; drivers need a current credential for this installation.',
    beforeOrder,
    check,
    show,
  ],
}

/** Force protection conditions: the threat that an installation prepares for. */
const fpconRows: ExplanationRows<(typeof fpconLevels)[number]> = {
  normal: ['Force protection condition normal: no specific threat; deliveries as usual.', nothing, check],
  alpha: ['Force protection condition alpha: an increased general threat; deliveries as usual.', nothing, check],
  bravo: [
    'Force protection condition bravo: an increased and more predictable threat; expect longer waits at the gate.',
    beforeOrder,
    check,
  ],
  charlie: [
    'Force protection condition charlie: an attack is likely; deliveries are held (fpcon_elevated).',
    'Not before the level is lowered.',
    check,
  ],
  delta: [
    'Force protection condition delta: an attack has occurred or is imminent; deliveries are held (fpcon_elevated).',
    'Not before the level is lowered.',
    check,
  ],
}

const pointRows: ExplanationRows<(typeof deliveryPoints)[number]> = {
  cq_desk: ["The charge-of-quarters desk in the unit's building; the recipient comes there.", nothing, show],
  mailroom: ["The unit's mailroom.", nothing, show],
  gate_handoff: ['The recipient meets the driver at the gate.', nothing, show],
  visitor_center: [
    'The visitor center at the gate; used as handling.fallbackHandoff.',
    nothing,
    'dlv deliveries create --file order.json --fallback-handoff visitor_center',
  ],
}

const proofRows: ExplanationRows<(typeof permittedProofTypes)[number]> = {
  photo: ['Proof by photo; many installations prohibit photography.', nothing, 'dlv deliveries proof <id> --save .'],
  signature: ['Proof by signature of the recipient.', nothing, 'dlv deliveries proof <id> --save .'],
  pin_code: [
    'Proof by a PIN that the recipient tells the driver. An order spells it pinCode, a proof pincode.',
    nothing,
    'dlv deliveries create --file order.json --verify pinCode=required',
  ],
  barcode: ['Proof by scanning a barcode of the package.', nothing, 'dlv deliveries proof <id> --save .'],
}

export const installationExplanations = [
  ...explanationsOf('access level', accessRows),
  ...explanationsOf('FPCON level', fpconRows),
  ...explanationsOf('delivery point', pointRows),
  ...explanationsOf('proof type', proofRows),
]
