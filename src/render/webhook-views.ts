import { spanText } from '../shared/durations.js'
import { sentence } from '../shared/texts.js'
import { card, section } from './cards.js'
import { plainLines, plainText, prose } from './plain-text.js'
import { paint, type Style } from './style.js'
import { cell, idOf, type View } from './view.js'
import { clockText, whenText } from './words.js'

/** The verdict on a webhook that verifies. */
interface Verified {
  id: string
  timestampSeconds: number
  secretIndex: number
  skewSeconds: number
  content: string
  event?: { eventType: string } | undefined
  warnings: readonly string[]
}

/** A webhook that verifies; `secret` is the name of the secret that verified it. */
export function verdictView(secret: string, secretCount: number): View<Verified> {
  return {
    id: idOf('id'),
    columns: [{ name: 'id' }, { name: 'timestampSeconds' }, { name: 'content' }],
    card: (verdict, style) =>
      card(
        `${paint(style, 'green', 'Verified')}  ${plainText(verdict.id)}`,
        [
          ['Event', verdict.event === undefined ? verdict.content : plainText(verdict.event.eventType)],
          ['Secret', `${plainText(secret)}${secretCount > 1 ? ` (${verdict.secretIndex + 1} of ${secretCount})` : ''}`],
          [
            'Signed',
            `${clockText(verdict.timestampSeconds * 1_000, style)}, clocks differ by ${spanText(verdict.skewSeconds * 1_000)}`,
          ],
          ['Warning', verdict.warnings.map(plainText).join('\n')],
        ],
        style,
      ),
  }
}

/** The result of sending a webhook. */
export interface SentRow {
  id: string
  url: string
  status: number | null
  durationMs: number
  error: string | null
  body: string | null
}

/** A sent webhook with the response. */
export const sentView: View<SentRow> = {
  id: idOf('id'),
  columns: [{ name: 'id' }, { name: 'status' }, { name: 'durationMs' }, { name: 'error' }],
  card({ id, url, status, durationMs, error, body }, style) {
    const isAccepted = status !== null && status >= 200 && status < 300
    const head = `${paint(style, isAccepted ? 'green' : 'red', status === null ? 'no response' : String(status))}  POST ${plainText(url)}   ${durationMs} ms  ${plainText(id)}`
    return [head, error === null ? '' : plainText(error), body === null ? '' : plainLines(body)]
      .filter((line) => line !== '')
      .join('\n')
  },
}

/** The headers of a signed webhook, ready to paste after `-H`. */
export const signedHeadersView: View<{
  'webhook-id': string
  'webhook-timestamp': string
  'webhook-signature': string
}> = {
  id: idOf('webhook-signature'),
  columns: [{ name: 'webhook-id' }, { name: 'webhook-timestamp' }, { name: 'webhook-signature' }],
  card: (headers) =>
    Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n'),
}

interface ReplayRow {
  eventId: string
  outcome: string
  status: number | null
  durationMs: number
  attempts: number
  error?: string
}

/** The result of each replayed event. */
export const replayList: View<ReplayRow[]> = {
  id: idOf('eventId'),
  empty: 'No events to replay.',
  columns: [
    { name: 'eventId', header: 'EVENT', keep: true },
    {
      name: 'outcome',
      cell: cell<ReplayRow>(({ outcome }, style) =>
        paint(style, outcome === 'failed' ? 'red' : outcome === 'held' ? 'yellow' : 'green', plainText(outcome)),
      ),
    },
    { name: 'status', align: 'right' },
    { name: 'durationMs', header: 'MS', align: 'right' },
    { name: 'attempts', align: 'right' },
    { name: 'error', elastic: true },
    { name: 'url', elastic: true, narrow: false },
  ],
}

/** A target as `webhooks targets list` shows it. */
interface TargetShown {
  url: string
  eventTypes: string[] | null
  namedAt: string | null
  active: boolean | null
  pending: number
  oldestSeconds: number | null
  givenUp: number
}

/** The forward targets of a journal. */
export const targetList: View<TargetShown[]> = {
  id: idOf('url'),
  timed: true,
  empty: 'No targets. Name one: dlv webhooks listen --forward-to URL',
  columns: [
    { name: 'url', keep: true },
    {
      name: 'eventTypes',
      header: 'EVENTS',
      elastic: true,
      cell: cell<TargetShown>(({ eventTypes }) => plainText(eventTypes?.join(', ') ?? '')),
    },
    {
      name: 'active',
      cell: cell<TargetShown>(({ active }, style) => {
        if (active === null) return ''
        return active ? paint(style, 'green', 'yes') : paint(style, 'yellow', 'no')
      }),
    },
    {
      name: 'namedAt',
      header: 'NAMED',
      cell: cell<TargetShown>(({ namedAt }, style) => whenText(namedAt ?? undefined, style)),
    },
    { name: 'pending', header: 'WAITING', align: 'right' },
    { name: 'oldestSeconds', header: 'OLDEST S', align: 'right' },
    { name: 'givenUp', header: 'GIVEN UP', align: 'right' },
  ],
}

interface Report {
  url: string
  passed: boolean
  brokenRules: readonly { rule: string; title: string; advice: string; reason: string; cases: readonly string[] }[]
  notObservable: readonly string[]
  cases: readonly { id: string; rule: string; title: string; status: string; reason: string }[]
}

const marks: Readonly<Record<string, readonly [mark: string, ink: 'green' | 'red' | 'dim']>> = {
  passed: ['✓', 'green'],
  failed: ['✗', 'red'],
}

function caseLine({ title, status, reason }: Report['cases'][number], style: Style): string {
  const [mark, ink] = marks[status] ?? ['·', 'dim']
  const said = status === 'passed' ? '' : paint(style, 'dim', `: ${plainText(reason)}`)
  return `${paint(style, ink, style.accessible ? plainText(status) : mark)} ${plainText(title)}${said}`
}

/** The result of a conformance test: every case, then the rules that the receiver breaks and how to fix them. */
export const conformanceView: View<Report> = {
  id: idOf('id'),
  columns: ['id', 'status', 'title', 'reason', 'rule', 'advice'].map((name) => ({ name })),
  rows: ({ cases, brokenRules }) =>
    cases.map((one) => ({
      ...one,
      advice: one.status === 'failed' ? brokenRules.find(({ rule }) => rule === one.rule)?.advice : undefined,
    })),
  card(report, style) {
    const broken = report.brokenRules.map(({ rule, title, advice, reason }) =>
      [
        `${paint(style, 'red', style.accessible ? 'Broken rule:' : '✗')} ${plainText(rule)}: a receiver ${plainText(title)}.`,
        ...prose(`  This one: ${sentence(plainText(reason))} ${plainText(advice)}`, {
          ...style,
          columns: style.columns - 4,
        }).split('\n'),
      ].join('\n    '),
    )
    const summary = report.passed
      ? paint(style, 'green', 'No broken rules')
      : paint(style, 'red', broken.length === 1 ? '1 broken rule' : `${broken.length} broken rules`)
    return [
      section(
        `Cases at ${plainText(report.url)}`,
        report.cases.map((one) => caseLine(one, style)),
        style,
      ),
      section('What to fix', broken, style),
      summary,
    ]
      .filter((part) => part !== '')
      .join('\n\n')
  },
}
