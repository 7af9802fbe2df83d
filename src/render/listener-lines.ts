import { plainLines, plainText, plainValue } from './plain-text.js'
import { statusWord } from './status-word.js'
import { paint, type Style } from './style.js'
import { textWidth, wrap } from './text-width.js'
import { clockText, spanText } from './times.js'

/** The records of a listener, with the fields that are shown. */
export type ListenerLine =
  | { type: 'ready'; url: string; journal: string }
  | {
      type: 'event'
      eventId: string
      eventType: string | null
      deliveryId: string | null
      secret: string
      secretNumber: number
      secretCount: number
      duplicate: boolean
      conflict: boolean
      source: string
      warnings: readonly string[]
      event: unknown
    }
  | { type: 'rejected'; reason: string; status: number; message: string; hint?: string; count?: number }
  | {
      type: 'forwarded'
      eventId: string
      url: string
      status: number | null
      durationMs: number
      attempt: number
      error?: string
      warning?: string
      body?: string
      retryInMs?: number
    }

/** A record as a line for people: time, direction, event, and the result of the verification. */
export function listenerLine(record: ListenerLine, style: Style): string {
  const time = paint(style, 'dim', clockText(style.nowMs, style))
  const mark = (arrow: string, word: string) => (style.accessible ? word : arrow)
  switch (record.type) {
    case 'ready':
      return `${paint(style, 'green', 'Ready:')} post webhooks to ${paint(style, 'bold', plainText(record.url))}\n${paint(style, 'dim', `Journal: ${plainText(record.journal)}. Press Ctrl-C to stop.`)}`
    case 'event':
      return `${time}  ${mark('→', 'received')}  ${eventText(record, style)}`
    case 'rejected':
      return `${time}  ${paint(style, 'red', mark('✗', 'rejected'))}  ${rejectedText(record, style)}`
    case 'forwarded':
      return `${time}  ${mark('←', 'forwarded')}  ${forwardText(record, style)}`
  }
}

function eventText(record: Extract<ListenerLine, { type: 'event' }>, style: Style): string {
  const { previousStatus, delivery } = (record.event ?? {}) as {
    previousStatus?: string
    delivery?: { status?: string }
  }
  const status = delivery?.status === undefined ? '' : statusWord(delivery.status, style)
  const change = previousStatus == null ? status : `${statusWord(previousStatus, style)} → ${status}`
  const which = record.secretCount > 1 ? ` (secret ${record.secretNumber} of ${record.secretCount})` : ''
  const verdict = record.conflict
    ? paint(style, 'red', 'verified, but another body had this id before')
    : record.duplicate
      ? paint(style, 'dim', 'verified, duplicate')
      : paint(style, 'green', `verified${which}`)
  const type = plainText(record.eventType ?? 'not an event').padEnd(34)
  const ids = [plainValue(record.deliveryId), paint(style, 'dim', plainText(record.eventId))].filter((id) => id !== '')
  const pulled = record.source === 'pull' ? ['pulled'] : []
  const changed = change === '' ? [] : [change]
  // The type already names the new status.
  const before = previousStatus == null ? [] : [`from ${statusWord(previousStatus, style)}`]
  const warnings = record.warnings.map((warning) => `${paint(style, 'yellow', 'warning:')} ${plainText(warning)}`)
  return lines(
    style,
    [type, ...ids.slice(0, -1), ...changed, ...ids.slice(-1), ...pulled, verdict],
    [[type.trimEnd(), ...before, ...pulled, verdict], ids],
    warnings,
  )
}

function rejectedText(record: Extract<ListenerLine, { type: 'rejected' }>, style: Style): string {
  const more = record.count === undefined ? '' : ` (${record.count} more like this)`
  const said = [`${plainText(record.reason)}: ${plainText(record.message)}${more}`]
  if (record.hint !== undefined) said.push(`${paint(style, 'dim', 'hint:')} ${plainText(record.hint)}`)
  const shown = style.terminal ? said.flatMap((text) => wrap(text, style.columns - 18)) : said
  return lines(
    style,
    [String(record.status), shown[0] ?? ''],
    [[String(record.status), shown[0] ?? '']],
    shown.slice(1),
  )
}

/** One line if it fits or if there is no terminal, otherwise several; details follow on lines of their own. */
function lines(style: Style, whole: string[], split: string[][], below: readonly string[]): string {
  const indent = ' '.repeat(style.accessible ? 10 : 13)
  const fits = !style.terminal || textWidth(whole.join('  ')) + 13 <= style.columns
  const shown = fits ? [whole] : split
  return [...shown.map((parts) => parts.join('  ')), ...below].join(`\n${indent}`)
}

function forwardText(record: Extract<ListenerLine, { type: 'forwarded' }>, style: Style): string {
  const isGood = record.status !== null && record.status >= 200 && record.status < 300
  const status = paint(style, isGood ? 'green' : 'red', record.status === null ? 'no response' : String(record.status))
  const again = record.retryInMs === undefined ? [] : [`retry in ${spanText(record.retryInMs)}`]
  const head = [status, `POST ${plainText(record.url)} `, `${Math.round(record.durationMs)} ms`]
  const id = paint(style, 'dim', plainText(record.eventId))
  const below = [record.error, record.warning, record.body].filter((text) => text !== undefined)
  return lines(
    style,
    [...head, id, ...again],
    [[...head, ...again], [id]],
    below.flatMap((text) => plainLines(text).split('\n')),
  )
}

/** How many events each secret verified, so that an unused one can be removed. */
export function secretCountLine(counts: readonly { name: string; verified: number }[]): string {
  const total = counts.reduce((sum, { verified }) => sum + verified, 0)
  if (total === 0) return 'No events verified yet.'
  const parts = counts.map(({ name, verified }) => `"${plainText(name)}" ${verified}`)
  return `Events verified by secret: ${parts.join(', ')} (${total} in total).`
}
