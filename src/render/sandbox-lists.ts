import { spanText } from '../shared/durations.js'
import { textOf } from '../shared/json.js'
import { webhookTone } from '../trade/webhook-status.js'
import { card, section } from './cards.js'
import { pad, plainText, textWidth, wrap } from './plain-text.js'
import { paint, type Style } from './style.js'
import { type Column, cell, idOf, type View } from './view.js'
import { clockText, toneInks, whenText } from './words.js'

const time = (name: string, header: string): Column => ({
  name,
  header,
  cell: cell<Record<string, unknown>>((row, style) => whenText(textOf(row[name]), style)),
})

const attemptColumns: readonly Column[] = [
  { name: 'attempt', header: 'TRY', align: 'right' },
  {
    name: 'outcome',
    cell: cell<{ outcome?: unknown }>(({ outcome }, style) => {
      const word = plainText(String(outcome ?? ''))
      return paint(style, toneInks[webhookTone(word)], word)
    }),
  },
  { name: 'statusCode', header: 'STATUS', align: 'right' },
  { name: 'durationMs', header: 'MS', align: 'right' },
  { name: 'error', elastic: true },
  { name: 'url' },
]

/** Every attempt at a webhook, by the virtual clock. */
export const attemptList: View<unknown[]> = {
  id: idOf('eventId'),
  timed: true,
  empty: 'No attempts yet. Webhooks go to endpoints, while dlv webhooks listen, dlv ui or dlv sandbox start runs.',
  columns: [{ name: 'eventId', header: 'EVENT', keep: true }, time('sentAt', 'SENT'), ...attemptColumns],
}

/** The attempts of an event that was sent once more. */
export const resentList: View<unknown[]> = {
  id: idOf('eventId'),
  empty: 'No receiver is registered. Add one: dlv sandbox endpoints add URL',
  columns: [{ name: 'eventId', header: 'EVENT', keep: true }, ...attemptColumns],
}

/** Receivers of webhooks. */
export const endpointList: View<unknown[]> = {
  id: idOf('id'),
  empty: 'No receivers. Add one: dlv sandbox endpoints add URL',
  columns: [
    { name: 'id', keep: true },
    { name: 'url', keep: true },
    { name: 'account' },
    { name: 'kind' },
    { name: 'disabled' },
    { name: 'consecutiveFailures', header: 'FAILURES', align: 'right' },
  ],
}

/** An account of a sandbox. */
interface AccountRow {
  name: string
  type: string
  requestsPerSecond: number
  livemode: boolean
  apiKey: string
}

/** The accounts of a sandbox. */
export const accountList: View<unknown[]> = {
  id: idOf('name'),
  columns: [
    { name: 'name', keep: true },
    { name: 'type' },
    { name: 'requestsPerSecond', header: 'A SECOND', align: 'right' },
    { name: 'livemode', header: 'LIVE' },
    { name: 'added' },
    { name: 'apiKey', header: 'KEY', keep: true },
  ],
}

/** An account that was just added. */
export const addedAccountView: View<AccountRow & { webhookSecret: string; profile: string | null }> = {
  id: idOf('apiKey'),
  columns: ['name', 'type', 'requestsPerSecond', 'apiKey', 'webhookSecret', 'profile'].map((name) => ({ name })),
  card: ({ name, type, requestsPerSecond, apiKey, webhookSecret, profile }, style) =>
    card(
      paint(style, 'green', `The account ${plainText(name)} was added.`),
      [
        ['Type', plainText(type)],
        ['Rate limit', `${requestsPerSecond} requests per second`],
        ['Key', plainText(apiKey), 'whole'],
        ['Signing secret', plainText(webhookSecret), 'whole'],
        ['Profile', profile],
        ['Try', profile === null ? undefined : `dlv deliveries list -P ${profile}`, 'whole'],
      ],
      style,
    ),
}

/** Named copies of the state, saved in real time. */
export const snapshotList: View<unknown[]> = {
  id: idOf('name'),
  empty: 'No snapshots. Save one: dlv sandbox snapshot save NAME',
  columns: [
    { name: 'name', keep: true },
    {
      name: 'savedAt',
      header: 'SAVED',
      cell: cell<{ savedAt: string }>(({ savedAt }, style) => clockText(Date.parse(savedAt), style)),
    },
    {
      name: 'bytes',
      header: 'SIZE',
      align: 'right',
      cell: cell<{ bytes?: unknown }>(({ bytes }) => (typeof bytes === 'number' ? sizeText(bytes) : '')),
    },
  ],
}

/** A request that a sandbox answered, as far as it is drawn. */
export interface AnsweredRequest {
  /** RFC 3339, in real time. */
  at: string
  method: string
  path: string
  status: number
  errorCode?: string | undefined
  durationMs: number
}

/** The last requests, in real time. */
export const requestList: View<unknown[]> = {
  id: idOf('requestId'),
  empty: 'No requests yet.',
  columns: [
    {
      name: 'at',
      header: 'TIME',
      cell: cell<AnsweredRequest>(({ at }, style) => (style.terminal ? clockText(Date.parse(at), style) : at)),
    },
    { name: 'method' },
    { name: 'path', elastic: true },
    { name: 'status', align: 'right', cell: cell<AnsweredRequest>(statusText) },
    { name: 'durationMs', header: 'MS', align: 'right' },
    { name: 'errorCode', header: 'ERROR', narrow: false },
    { name: 'requestId', header: 'ID', keep: true },
  ],
}

/** A line of the log of a served sandbox; a time of day on a terminal, RFC 3339 elsewhere. */
export function requestLine(request: AnsweredRequest, style: Style): string {
  const { at, method, path, errorCode, durationMs } = request
  const when = style.terminal ? clockText(Date.parse(at), style) : at
  return [
    paint(style, 'dim', when),
    statusText(request, style),
    plainText(method).padEnd(5),
    plainText(path),
    paint(style, 'dim', `${durationMs} ms`),
    ...(errorCode === undefined ? [] : [plainText(errorCode)]),
  ].join('  ')
}

function statusText({ status }: AnsweredRequest, style: Style): string {
  return paint(style, status < 400 ? 'green' : status < 500 ? 'yellow' : 'red', String(status))
}

const units = ['bytes', 'kB', 'MB', 'GB'] as const

/** A number of bytes: `820 bytes`, `660 kB`, `1.2 MB`. */
function sizeText(bytes: number): string {
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)))
  const value = bytes / 1_000 ** power
  return `${power > 0 && value < 10 ? value.toFixed(1) : Math.round(value)} ${units[power]}`
}

/** A magic value: its channel, such as a header or a phone number, the value and its effect. */
export interface MagicRow {
  channel: string
  value: string
  effect: string
}

/** Longer values have their effect on a separate line. */
const widestValue = 40

/** The magic values, grouped by channel. */
export const magicView: View<MagicRow[]> = {
  id: idOf('value'),
  rows: (rows) => rows,
  columns: [{ name: 'channel' }, { name: 'value' }, { name: 'effect', elastic: true }],
  card(rows, style) {
    const channels = [...new Set(rows.map(({ channel }) => channel))]
    return channels
      .map((channel) => {
        const group = rows.filter((row) => row.channel === channel)
        return [paint(style, 'bold', plainText(channel)), ...groupLines(group, style)].join('\n')
      })
      .join('\n\n')
  },
}

function groupLines(rows: readonly MagicRow[], style: Style): string[] {
  if (style.accessible) return rows.map(({ value, effect }) => `${plainText(value)}: ${plainText(effect)}`)
  const widths = rows.map(({ value }) => textWidth(value)).filter((width) => width <= widestValue)
  const width = Math.max(8, ...widths)
  return rows.flatMap(({ value, effect }) => {
    const [first = '', ...rest] = wrap(plainText(effect), Math.max(20, style.columns - width - 4))
    const under = ' '.repeat(width + 4)
    const lines = rest.map((line) => under + line)
    const shown = plainText(value)
    if (textWidth(shown) > width) return [`  ${shown}`, under + first, ...lines]
    return [`  ${pad(shown, width)}  ${first}`, ...lines]
  })
}

interface Report {
  scenario: string
  seed: number
  orders: number
  events: number
  expectations: readonly { name: string; passed: boolean | null; detail: string }[]
  tookMs: number
}

const nameWidth = 15

/** The lines of an expectation; the detail is wrapped beside its name. */
function expectationLines({ name, passed, detail }: Report['expectations'][number], style: Style): string[] {
  const [mark, word, ink] =
    passed === true
      ? (['✓', 'passed', 'green'] as const)
      : passed === false
        ? (['✗', 'failed', 'red'] as const)
        : (['·', 'not observable', 'dim'] as const)
  if (style.accessible) return [`${word}: ${plainText(name)}: ${plainText(detail)}`]
  const [first = '', ...rest] = wrap(plainText(detail), style.columns - nameWidth - 6)
  const head = `${paint(style, ink, mark)} ${plainText(name).padEnd(nameWidth)}`
  return [`${head}${first}`, ...rest.map((line) => `${' '.repeat(nameWidth + 2)}${line}`)]
}

/** The result of a scenario: the traffic in one line, then every expectation. */
export const scenarioView: View<Report> = {
  id: idOf('name'),
  columns: [{ name: 'name' }, { name: 'passed' }, { name: 'detail' }],
  rows: ({ expectations }) => expectations,
  card(report, style) {
    const { scenario, seed, orders, events, expectations, tookMs } = report
    const failures = expectations.filter(({ passed }) => passed === false).length
    const counts = `${orders.toLocaleString('en-US')} orders, ${events.toLocaleString('en-US')} events, seed ${seed}, ${spanText(tookMs)}`
    return [
      `${paint(style, 'bold', plainText(scenario))}  ${paint(style, 'dim', counts)}`,
      section(
        'Expectations',
        expectations.flatMap((one) => expectationLines(one, style)),
        style,
      ),
      failures === 0
        ? paint(style, 'green', 'No expectation failed')
        : paint(style, 'red', failures === 1 ? '1 expectation failed' : `${failures} expectations failed`),
    ].join('\n\n')
  },
}
