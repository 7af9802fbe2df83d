import type { FaultRule } from '../contract/internal.js'
import { card, section } from './cards.js'
import { pad, plainText, plainValue, textWidth, wrap } from './plain-text.js'
import { paint } from './style.js'
import { idOf, type View } from './view.js'

/** A switch: a choice between readings of the contract. */
export interface SwitchRow {
  name: string
  value: string | number
  default: string | number
  /** The allowed values; `null` for any number. */
  choices: readonly string[] | null
  summary: string
}

/** The state of a sandbox, from its control API. */
export interface SandboxStatus {
  data: string
  publicUrl: string
  clock: { now: string; scale: number; real: string }
  outage: boolean
  capacity: number | null
  rateLimit: number | 'off'
  switches: Record<string, string | number>
  switchDefaults: Record<string, string | number>
  faults: { rules: readonly Record<string, unknown>[] }
  endpoints: readonly { id: string; url: string; kind: string; disabled: boolean }[]
  secrets: number
  deliveries: number
  events: number
  pendingWebhooks: number
  accounts: readonly { apiKey: string; accountType: string; livemode: boolean }[]
}

/** The switches; those that differ from their default are marked. */
export const switchesView: View<SwitchRow[]> = {
  id: idOf('name'),
  columns: [{ name: 'name' }, { name: 'value' }, { name: 'default' }, { name: 'choices' }, { name: 'summary' }],
  card: (rows, style) =>
    rows
      .map(({ name, value, default: usual, choices, summary }) => {
        const changed = value === usual ? '' : paint(style, 'yellow', ` (default ${usual})`)
        const lines = wrap(`${summary} [${choices?.join(' or ') ?? 'a number'}]`, Math.max(20, style.columns - 4))
        return [`${paint(style, 'bold', `${name}=${value}`)}${changed}`, ...lines.map((line) => `    ${line}`)].join(
          '\n',
        )
      })
      .join('\n'),
}

/** The state of a sandbox on one screen. */
export const sandboxStatusView: View<SandboxStatus> = {
  id: idOf('data'),
  columns: [],
  card: (status, style) =>
    card(
      status.outage
        ? paint(style, 'red', 'The sandbox simulates an outage.')
        : paint(style, 'green', 'The sandbox is up.'),
      [
        ['State', plainText(status.data)],
        ['Pages', plainText(status.publicUrl)],
        ['Clock', clockText(status.clock)],
        ['Deliveries', String(status.deliveries)],
        ['Events', String(status.events)],
        ['Webhooks', webhooksText(status)],
        ['Rate limit', status.rateLimit === 'off' ? 'off' : `${status.rateLimit} requests per second`],
        ['Drivers', driversText(status.capacity)],
        ['Secrets', status.secrets === 1 ? '1' : `${status.secrets}, a rotation is in progress`],
        ['Switches', changedSwitches(status)],
      ],
      style,
      [
        section('Faults', status.faults.rules.map(ruleText), style),
        section(
          'Endpoints',
          status.endpoints.map(
            ({ id, url, kind, disabled }) => `${plainText(url)}  ${kind}  ${id}${disabled ? '  disabled' : ''}`,
          ),
          style,
        ),
        section('Accounts', accountLines(status.accounts), style),
      ],
    ),
}

/** The active faults of a sandbox. */
export interface SandboxFaults {
  outage: boolean
  capacity: number | null
  seed?: number
  rules: readonly FaultRule[]
}

/** The active faults: outage, driver capacity, and one line per rule. */
export const faultsView: View<SandboxFaults> = {
  id: (faults) => plainValue(faults),
  columns: [],
  card: ({ outage, capacity, seed, rules }, style) =>
    card(
      outage || capacity === 0 || rules.length > 0
        ? paint(style, 'yellow', 'Faults are active.')
        : 'No faults are active.',
      [
        ['Outage', outage ? 'yes: 503 everywhere' : 'no'],
        ['Drivers', driversText(capacity)],
        ['Seed', seed?.toString()],
      ],
      style,
      [section('Rules', rules.map(ruleText), style)],
    ),
}

function webhooksText({ endpoints, pendingWebhooks }: SandboxStatus): string {
  if (endpoints.length === 0) return 'none sent without an endpoint, such as dlv webhooks listen'
  return pendingWebhooks === 0
    ? 'none waits'
    : `${pendingWebhooks} to send, while dlv webhooks listen, dlv ui or dlv sandbox start runs`
}

function driversText(capacity: number | null): string {
  return capacity === null ? 'unlimited' : `${capacity} left to assign`
}

function clockText({ now, scale, real }: SandboxStatus['clock']): string {
  const pace = scale === 1 ? '' : `, at ${scale} × speed`
  return now.slice(0, 16) === real.slice(0, 16) ? `${now}, real time${pace}` : `${now}${pace} (real time ${real})`
}

function changedSwitches({ switches, switchDefaults }: SandboxStatus): string {
  const changed = Object.entries(switches).filter(([name, value]) => switchDefaults[name] !== value)
  return changed.length === 0 ? 'all at their defaults' : changed.map(([name, value]) => `${name}=${value}`).join(', ')
}

function ruleText(rule: FaultRule): string {
  return Object.entries(rule)
    .map(([name, value]) => `${plainText(name)}=${plainValue(value)}`)
    .join('  ')
}

function accountLines(accounts: SandboxStatus['accounts']): string[] {
  const widest = Math.max(0, ...accounts.map(({ apiKey }) => textWidth(apiKey)))
  return accounts.map(
    ({ apiKey, accountType, livemode }) =>
      `${pad(plainText(apiKey), widest)}  ${accountType}${livemode ? ', live' : ''}`,
  )
}
