import type { Gate, Installation, InstallationListItem } from '../contract/index.js'
import { card, section } from './card.js'
import { gateState } from './gate-hours.js'
import { plainText, plainValue } from './plain-text.js'
import { paint, type Style } from './style.js'
import { momentText } from './times.js'
import { cell, idOf, type View } from './view.js'

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
