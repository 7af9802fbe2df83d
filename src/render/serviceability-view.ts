import type { Serviceability } from '../contract/index.js'
import { card } from './card.js'
import { known } from './known-word.js'
import { plainText, plainValue } from './plain-text.js'
import { paint, type Style } from './style.js'
import { momentText } from './times.js'
import { idOf, type View } from './view.js'

/** Advice if a stop cannot be served, by reason code. */
const remedies: Readonly<Record<string, string>> = {
  gate_closed: 'Deliver when a gate is open.',
  fpcon_elevated: 'Wait until the force protection level is lowered.',
  installation_not_accepting_deliveries: 'The installation does not accept deliveries at the moment.',
  installation_not_served: 'Choose another destination.',
  no_credentialed_driver_available: 'Try later: no driver with a credential is free.',
  escort_unavailable: 'Deliver within the escort hours, 08:00 to 16:00.',
  prohibited_cargo_for_destination: 'Remove the prohibited cargo from the order.',
  unsupported_delivery_point: 'Choose one of the supported delivery points.',
  unsupported_destination_type: 'Ask for a street address: military mail and PO boxes cannot be reached.',
  outside_service_area: 'Choose a store closer to the address.',
}

/** Whether a stop can be served now, and what to do if not. */
export const serviceabilityView: View<Serviceability> = {
  id: idOf('serviceable'),
  shows: ['checkServiceability'],
  timed: true,
  columns: [{ name: 'serviceable' }, { name: 'reasonCode' }, { name: 'recommendedGate' }, { name: 'retryAfter' }],
  card(answer, style) {
    const verdict = answer.serviceable
      ? paint(style, 'green', 'Can be served')
      : paint(style, 'red', 'Cannot be served')
    const at = answer.installation
    return card(
      `${verdict}${answer.reasonCode == null ? '' : `: ${plainText(answer.reasonCode)}`}`,
      [
        ['Reason', plainValue(answer.reason)],
        ['What to do', answer.serviceable ? '' : (known(remedies, answer.reasonCode ?? '') ?? '')],
        ['Try again', momentText(answer.retryAfter, style)],
        [
          'Installation',
          at == null
            ? ''
            : [at.code, at.name, at.accessLevel, at.fpconLevel == null ? '' : `FPCON ${at.fpconLevel}`]
                .filter(Boolean)
                .map(plainValue)
                .join(', '),
        ],
        ['Gate', plainValue(answer.recommendedGate)],
        ['Drivers', credentialText(answer, style)],
        ['Proof', proofText(answer, style)],
        ['Points', (answer.supportedDeliveryPoints ?? []).map(plainText).join(', ')],
        ['Checked', momentText(answer.evaluatedAt, style)],
      ],
      style,
    )
  },
}

function credentialText({ credentialedDriversAvailable: available }: Serviceability, style: Style): string {
  if (available == null) return ''
  return available ? 'one with a credential is available' : paint(style, 'red', 'none with a credential is available')
}

function proofText({ permittedProofTypes, suppressedProofTypes }: Serviceability, style: Style): string {
  const refused = (suppressedProofTypes ?? []).map(plainText).join(', ')
  const permitted = (permittedProofTypes ?? []).map(plainText).join(', ')
  return `${permitted}${refused === '' ? '' : paint(style, 'yellow', `${permitted === '' ? '' : '; '}not ${refused}`)}`
}
