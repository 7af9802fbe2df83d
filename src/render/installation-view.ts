import type { Gate, Installation, InstallationListItem, Serviceability } from '../contract/index.js'
import { spanText } from '../shared/durations.js'
import { gateStateOf } from '../trade/gate-hours.js'
import { card, section } from './cards.js'
import { plainText, plainValue } from './plain-text.js'
import { paint, type Style } from './style.js'
import { cell, idOf, type View, valueAt } from './view.js'
import { known, momentText } from './words.js'

/** `open now, closes in 2h` or `opens in 3h 20m`; empty if the gate's hours cannot be read. */
export function gateStateText(gate: Gate, nowMs: number): string {
  const state = gateStateOf(gate, nowMs)
  if (state === undefined) return ''
  const { isOpen, untilMs } = state
  if (untilMs === undefined) return isOpen ? 'always open' : 'closed'
  return `${isOpen ? 'open now, closes' : 'opens'} in ${spanText(untilMs - nowMs)}`
}

/** The state of a gate in its colour. */
export function gateState(gate: Gate, style: Style): string {
  const text = gateStateText(gate, style.nowMs)
  return text === '' ? '' : paint(style, gateStateOf(gate, style.nowMs)?.isOpen ? 'green' : 'yellow', text)
}

function yesNo(value: boolean | null | undefined, style: Style): string {
  if (value == null) return ''
  return value ? paint(style, 'green', 'yes') : paint(style, 'red', 'no')
}

/** Absent is not known; an empty list is none. */
function list(values: readonly unknown[] | null | undefined): string {
  if (values == null) return ''
  return values.length === 0 ? 'none' : values.map(plainValue).join(', ')
}

/** A list of installations. */
export const installationList: View<InstallationListItem[]> = {
  id: idOf('code'),
  shows: ['listInstallations'],
  empty: 'No installations.',
  columns: [
    { name: 'code', keep: true },
    { name: 'name', elastic: true },
    { name: 'branch', narrow: false },
    { name: 'state' },
    {
      name: 'acceptingDeliveries',
      header: 'OPEN',
      cell: cell<InstallationListItem>((row, style) => yesNo(row.acceptingDeliveries, style)),
    },
    { name: 'accessLevel', header: 'ACCESS' },
    {
      name: 'photographyPermitted',
      header: 'PHOTOS',
      cell: cell<InstallationListItem>((row, style) => yesNo(row.photographyPermitted, style)),
    },
    {
      name: 'supportedDeliveryPoints',
      header: 'POINTS',
      narrow: false,
      elastic: true,
      cell: cell<InstallationListItem>((row) => list(row.supportedDeliveryPoints)),
    },
  ],
}

/** An installation: its access rules, gates with hours, permitted proof and prohibited cargo. */
export const installationView: View<Installation> = {
  id: idOf('code'),
  shows: ['getInstallation', 'listInstallations'],
  timed: true,
  columns: [
    { name: 'code' },
    { name: 'name' },
    { name: 'acceptingDeliveries' },
    { name: 'accessLevel' },
    { name: 'fpconLevel' },
  ],
  card(installation, style) {
    const { code, name, branch, state, gates } = installation
    return card(
      `${paint(style, 'bold', plainText(code))}  ${plainValue(name)}${branch == null ? '' : ` (${plainText(branch)}, ${plainValue(state)})`}`,
      [
        [
          'Deliveries',
          installation.acceptingDeliveries == null
            ? ''
            : installation.acceptingDeliveries
              ? paint(style, 'green', 'accepted')
              : paint(style, 'red', 'not accepted'),
        ],
        [
          'Access',
          [installation.accessLevel, installation.fpconLevel == null ? '' : `FPCON ${installation.fpconLevel}`]
            .filter(Boolean)
            .map(plainValue)
            .join(', '),
        ],
        ['Photography', photographyText(installation, style)],
        ['Proof', list(installation.permittedProofTypes)],
        ['Prohibited', list(installation.prohibitedCargo)],
        ['Points', list(installation.supportedDeliveryPoints)],
        ['Policy updated', momentText(installation.policyUpdatedAt, style)],
      ],
      style,
      [
        section(
          'Gates',
          (gates ?? []).flatMap((gate) => gateLines(gate, style)),
          style,
        ),
      ],
    )
  },
}

function photographyText({ photographyPermitted, imagingRestrictions }: Installation, style: Style): string {
  if (photographyPermitted == null) return plainValue(imagingRestrictions)
  const verdict = photographyPermitted ? 'permitted' : paint(style, 'red', 'prohibited')
  return imagingRestrictions == null ? verdict : `${verdict}, ${plainText(imagingRestrictions)}`
}

function gateLines(gate: Gate, style: Style): string[] {
  const trucks =
    gate.commercialVehiclesPermitted === false ? paint(style, 'dim', 'no commercial vehicles') : gateState(gate, style)
  return [
    `${plainText(gate.name)}: ${trucks}`,
    paint(style, 'dim', `  ${plainValue(gate.hours)}${gate.timezone == null ? '' : ` (${plainText(gate.timezone)})`}`),
  ]
}

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

/** The check of one row of a sheet. */
export interface CheckedRow extends Partial<Serviceability> {
  row: number
  clientOrderReference: string | null
  outcome: 'served' | 'unserved' | 'failed'
  error: { code: string; message: string; hint?: string | undefined } | null
}

/** The checks of a sheet's stops, one a row. */
export const checkedRowsView: View<CheckedRow[]> = {
  id: (row) => plainValue(valueAt(row, 'clientOrderReference')),
  shows: ['checkServiceability'],
  timed: true,
  empty: 'No rows.',
  columns: [
    { name: 'row', align: 'right' },
    { name: 'clientOrderReference', header: 'REFERENCE', elastic: true, narrowest: 24, keep: true },
    {
      name: 'outcome',
      cell: cell<CheckedRow>(({ outcome }, style) =>
        paint(style, outcome === 'served' ? 'green' : outcome === 'unserved' ? 'yellow' : 'red', outcome),
      ),
    },
    { name: 'installation.code', header: 'INSTALLATION' },
    { name: 'reasonCode', header: 'REASON' },
    { name: 'recommendedGate', header: 'GATE', elastic: true },
    { name: 'retryAfter', header: 'TRY AGAIN', narrow: false },
    {
      name: 'error',
      elastic: true,
      cell: cell<CheckedRow>(({ error }) =>
        error === null ? '' : `${plainText(error.code)}: ${plainText(error.message)}`,
      ),
    },
  ],
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
