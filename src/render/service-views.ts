import type { Capabilities, DriverProfile, Health, SimulateResponse, Team } from '../contract/index.js'
import { isActive } from '../trade/statuses.js'
import { card } from './cards.js'
import { isCommand, pad, plainText, plainValue, shorten, textWidth, wrap } from './plain-text.js'
import { paint, type Style } from './style.js'
import { cell, deliveryIdOf, idOf, type View } from './view.js'
import { clockText, statusMark, statusWord } from './words.js'

/** The health of the service. */
export const healthView: View<Health> = {
  id: idOf('status'),
  shows: ['getHealth'],
  columns: [{ name: 'status' }, { name: 'checkedAt' }],
  card: ({ status, checkedAt }, style) => {
    const checkedMs = Date.parse(checkedAt ?? '')
    const word = paint(style, status === 'healthy' ? 'green' : 'yellow', plainText(status))
    return Number.isNaN(checkedMs) ? word : `${word}, checked ${clockText(checkedMs, style)}`
  },
}

/** The capabilities of the account. */
export const capabilitiesView: View<Capabilities> = {
  id: idOf('accountType'),
  shows: ['getCapabilities'],
  columns: [{ name: 'accountType' }],
  card: ({ accountType, capabilities }, style) =>
    card(
      paint(style, 'bold', plainText(accountType)),
      Object.entries(capabilities).map(([name, value]) => [
        plainText(name),
        value === true ? paint(style, 'green', 'yes') : value === false ? paint(style, 'dim', 'no') : plainValue(value),
      ]),
      style,
    ),
}

const columns: View<DriverProfile>['columns'] = [
  { name: 'id', header: 'DRIVER', keep: true },
  { name: 'name', elastic: true },
  {
    name: 'onDuty',
    header: 'DUTY',
    cell: cell<DriverProfile>(({ onDuty }, style) =>
      onDuty == null ? '' : onDuty ? paint(style, 'green', 'on') : paint(style, 'dim', 'off'),
    ),
  },
  { name: 'status' },
  { name: 'vehicleDescription', header: 'VEHICLE', elastic: true },
  { name: 'phoneNumber', header: 'PHONE', narrow: false },
  { name: 'teams', narrow: false, cell: cell<DriverProfile>(({ teams }) => (teams ?? []).map(plainText).join(', ')) },
]

/** Drivers of the fleet. */
export const driverList: View<DriverProfile[]> = {
  id: idOf('id'),
  shows: ['getDriver', 'listDrivers'],
  columns,
  empty: 'No drivers.',
}

/** A driver. */
export const driverView: View<DriverProfile> = {
  id: idOf('id'),
  shows: ['getDriver', 'listDrivers'],
  columns,
  card: (driver, style) =>
    card(
      `${paint(style, 'bold', plainText(driver.id))}  ${plainValue(driver.name)}`,
      [
        ['Duty', driver.onDuty == null ? '' : driver.onDuty ? 'on' : 'off'],
        ['Status', plainValue(driver.status)],
        ['Phone', plainValue(driver.phoneNumber)],
        ['Vehicle', plainValue(driver.vehicleDescription)],
        ['Teams', (driver.teams ?? []).map(plainText).join(', ')],
      ],
      style,
    ),
}

/** Dispatch teams. */
export const teamList: View<Team[]> = {
  id: idOf('id'),
  shows: ['listTeams'],
  empty: 'No teams: only accounts with ownedFleetDispatch have them.',
  columns: [
    { name: 'id', header: 'TEAM', keep: true },
    { name: 'name', elastic: true },
    { name: 'workerCount', header: 'DRIVERS', align: 'right' },
    { name: 'hubDestinationId', header: 'HUB', narrow: false },
  ],
}

/** The result of a simulation: the new status and the emitted events. */
export const simulationView: View<SimulateResponse> = {
  id: deliveryIdOf,
  shows: ['simulateDelivery'],
  columns: [{ name: 'deliveryId' }, { name: 'status' }, { name: 'emittedEvents' }],
  card: ({ deliveryId, status, emittedEvents }, style) =>
    [
      `${paint(style, 'bold', plainText(deliveryId))}  ${statusWord(status, style)}`,
      ...emittedEvents.map((event) => `  ${statusMark(event.replace('delivery.', ''), style)} ${plainText(event)}`),
    ].join('\n'),
}

/** The statuses that can be simulated next from a status, with their possible reasons. */
export function movesFrom(status: string): View<{ status: string; reasons: string[] }[]> {
  const empty = isActive(status)
    ? `What follows ${plainText(status)} is not known to this version; --to STATUS asks the service.`
    : 'No next status: the delivery has ended.'
  return { ...movesView, empty }
}

const movesView: View<{ status: string; reasons: string[] }[]> = {
  id: idOf('status'),
  columns: [
    {
      name: 'status',
      header: 'NEXT',
      cell: cell<{ status: string }>(({ status }, style) => statusWord(status, style)),
    },
    {
      name: 'reasons',
      header: 'REASONS',
      elastic: true,
      cell: cell<{ reasons: string[] }>(({ reasons }) => reasons.join(', ')),
    },
  ],
  card: (moves, style) => {
    const width = Math.max(...moves.map(({ status }) => textWidth(statusWord(status, style))))
    return moves
      .map(({ status, reasons }) => {
        const word = statusWord(status, style)
        if (reasons.length === 0) return word
        if (style.accessible) return `${word}: ${reasons.join(', ')}`
        const lines = wrap(reasons.join(', '), Math.max(20, style.columns - width - 2))
        return lines.map((line, index) => `${pad(index === 0 ? word : '', width)}  ${line}`).join('\n')
      })
      .join('\n')
  },
}

/** The result of comparing a service with its contract. */
export interface DriftResult {
  /** Responses and events that were compared. */
  checked: number
  /** Parts of the contract that could not be tried, each with the reason. */
  notTried: readonly string[]
  findings: readonly { kind: string; operation: string; path: string; example: unknown; count: number }[]
}

/** The drift: a line for each finding, with an example under it. */
export const driftView: View<DriftResult> = {
  id: idOf('path'),
  rows: ({ findings }) => findings,
  columns: [
    { name: 'kind' },
    { name: 'operation' },
    { name: 'path' },
    { name: 'count' },
    { name: 'example', elastic: true },
  ],
  card: ({ checked, findings }, style) => {
    const compared = `Compared ${checked} responses and events with the contract`
    if (findings.length === 0) return `${compared}: no drift.`
    return [
      `${compared}: ${findings.length} ${findings.length === 1 ? 'difference' : 'differences'}.`,
      ...findings.map(({ kind, operation, path, example, count }) => {
        const line = `${paint(style, 'yellow', kind)}  ${plainText(operation)}  ${paint(style, 'bold', plainText(path))}  ${count} ×`
        const shown = plainText(JSON.stringify(example) ?? '')
        return `\n${line}\n  ${paint(style, 'dim', style.terminal ? shorten(shown, style.columns - 2) : shown)}`
      }),
    ].join('\n')
  },
}

interface FindingRow {
  check: string
  verdict: string
  finding: string
  hint: string | null
}

const inks = { ok: 'green', warning: 'yellow', problem: 'red' } as const
const marks: Readonly<Record<string, string>> = { ok: '✓', warning: '!', problem: '✗' }

function findingLines({ check, verdict, finding, hint }: FindingRow, width: number, style: Style): string {
  const ink = inks[verdict as keyof typeof inks] ?? 'magenta'
  const mark = paint(style, ink, style.accessible ? plainText(verdict) : (marks[verdict] ?? '·'))
  const indent = ' '.repeat(width + 4)
  const room = Math.max(20, style.columns - width - 4)
  const text = [finding, ...(hint === null ? [] : [hint])].flatMap((part) =>
    isCommand(part) ? [plainText(part)] : wrap(plainText(part), room),
  )
  return `${mark} ${pad(plainText(check), width)}  ${text.join(`\n${indent}`)}`
}

/** The findings of `doctor`. */
export const findingList: View<FindingRow[]> = {
  id: idOf('check'),
  columns: [{ name: 'check' }, { name: 'verdict' }, { name: 'finding' }, { name: 'hint' }],
  rows: (findings) => findings,
  card(findings, style) {
    const width = Math.max(...findings.map(({ check }) => check.length))
    return findings.map((finding) => findingLines(finding, width, style)).join('\n')
  },
}
