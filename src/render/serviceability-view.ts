import type { Serviceability } from '../contract/index.js'
import { card } from './card.js'
import { known } from './known-word.js'
import { plainText, plainValue } from './plain-text.js'
import { paint, type Style } from './style.js'
import { momentText } from './times.js'
import { idOf, type View } from './view.js'

/** What helps where a stop cannot be served, by the reasons that are known. */
const remedies: Readonly<Record<string, string>> = {
  gate_closed: 'Deliver when a gate is open.',
  fpcon_elevated: 'Wait until the protection level goes down.',
  installation_not_accepting_deliveries: 'The installation takes no deliveries at the moment.',
  installation_not_served: 'Choose another destination.',
  no_credentialed_driver_available: 'Try later: no driver with a credential is free.',
  escort_unavailable: 'Deliver within the escort hours, 08:00 to 16:00.',
  prohibited_cargo_for_destination: 'Take the prohibited cargo out of the order.',
  unsupported_delivery_point: 'Choose one of the supported delivery points.',
  unsupported_destination_type: 'Ask for a street address: military mail and boxes cannot be reached.',
  outside_service_area: 'Choose a nearer store.',
}

/** Whether a stop can be served right now, and what to do where not. */
export const serviceabilityView: View<Serviceability> = {
  id: idOf('serviceable'),
  columns: [{ name: 'serviceable' }, { name: 'reasonCode' }, { name: 'recommendedGate' }, { name: 'retryAfter' }],
  card(answer, style) {
    const verdict = answer.serviceable
      ? paint(style, 'green', 'Can be served')
      : paint(style, 'red', 'Cannot be served')
    const at = answer.installation
    return card(
      `${verdict}${answer.reasonCode == null ? '' : `: ${plainText(answer.reasonCode)}`}`,
      [
        ['Why', plainValue(answer.reason)],
        ['Remedy', answer.serviceable ? '' : (known(remedies, answer.reasonCode ?? '') ?? '')],
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
        ['As of', momentText(answer.evaluatedAt, style)],
      ],
      style,
    )
  },
}

function credentialText({ credentialedDriversAvailable: available }: Serviceability, style: Style): string {
  if (available == null) return ''
  return available ? 'with a credential available' : paint(style, 'red', 'none with a credential')
}

function proofText({ permittedProofTypes, suppressedProofTypes }: Serviceability, style: Style): string {
  const refused = (suppressedProofTypes ?? []).map(plainText).join(', ')
  const permitted = (permittedProofTypes ?? []).map(plainText).join(', ')
  return `${permitted}${refused === '' ? '' : paint(style, 'yellow', `${permitted === '' ? '' : '; '}not ${refused}`)}`
}
