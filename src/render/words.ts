import { spanText } from '../shared/durations.js'
import { amountText } from '../shared/texts.js'
import { isActive, type Tone, toneOf } from '../trade/statuses.js'
import { plainText, plainValue } from './plain-text.js'
import { type Ink, paint, type Style } from './style.js'

export const toneInks: Readonly<Record<Tone, Ink>> = {
  good: 'green',
  bad: 'red',
  warn: 'yellow',
  active: 'cyan',
  neutral: 'blue',
}

/** A status in the colour of its tone. An unknown status is shown unchanged. */
export function statusWord(status: string | null | undefined, style: Pick<Style, 'colour'>): string {
  if (status === null || status === undefined) return ''
  return paint(style, toneInks[toneOf(status)], plainText(status))
}

/** The mark in front of a status: a tick for delivered, a cross for any other end, a dot for the others. */
export function statusMark(status: string | null | undefined, style: Pick<Style, 'colour' | 'accessible'>): string {
  if (style.accessible) return '-'
  const mark = status === 'delivered' ? '✓' : isActive(status ?? '') ? '●' : '✗'
  return paint(style, toneInks[toneOf(status ?? '')], mark)
}

/**
 * Looks up a value from the wire in a table; `undefined` if the table does not have it. Never finds inherited names
 * such as `constructor`.
 */
export function known<Value>(table: Readonly<Record<string, Value>>, word: string): Value | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined
}

/** Formats cents as `$1,234.50`, or as `1,234.50 EUR` in another currency. */
export function moneyText(cents: number | null | undefined, currency: string | null | undefined = 'USD'): string {
  if (cents === null || cents === undefined) return ''
  const amount = amountText(Math.abs(cents))
  const sign = cents < 0 ? '-' : ''
  return currency === 'USD' || currency === null || currency === undefined
    ? `${sign}$${amount}`
    : `${sign}${amount} ${plainText(currency)}`
}

/** An address on one line, whichever form it has. */
export function addressText(address: unknown): string {
  if (typeof address !== 'object' || address === null) return plainValue(address)
  const { line1, city, state, postalCode } = address as Record<string, unknown>
  const town = [plainValue(city), [plainValue(state), plainValue(postalCode)].filter(Boolean).join(' ')]
  return [plainValue(line1), ...town].filter(Boolean).join(', ')
}

/** A longer address is not a tracking page. */
const longest = 2_000

/**
 * A text that leads to a web page where the terminal can show that (OSC 8); otherwise the text. An address that is
 * masked, or not of the web, does not become a link.
 */
export function link(style: Pick<Style, 'links' | 'unservedPages'>, text: string, address: unknown): string {
  if (style.links !== true || style.unservedPages === true || text === '' || typeof address !== 'string') return text
  if (address.length > longest || address.includes('*') || !URL.canParse(address)) return text
  const { protocol, href } = new URL(address)
  // The parser has escaped what could end the sequence.
  return /^https?:$/.test(protocol) ? `\u001b]8;;${href}\u0007${text}\u001b]8;;\u0007` : text
}

/** A time relative to now: `3m 20s ago`, `in 2h`, `just now`. */
export function relativeText(atMs: number, nowMs: number): string {
  const span = atMs - nowMs
  if (Math.abs(span) < 2_000) return 'just now'
  return span < 0 ? `${spanText(span)} ago` : `in ${spanText(span)}`
}

/** A clock time in the user's zone: `14:05:09`, with the date in front if it is not today. */
export function clockText(atMs: number, style: Pick<Style, 'nowMs' | 'timeZone'>): string {
  const time = timeText(atMs, style)
  const day = dayText(atMs, style.timeZone)
  return day === dayText(style.nowMs, style.timeZone) ? time : `${day} ${time}`
}

/** The time of day in the user's zone: `14:05:09`. */
export function timeText(atMs: number, { timeZone }: Pick<Style, 'timeZone'>): string {
  return part(atMs, timeZone, { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' })
}

/** A day in this zone: `2026-03-02`. */
export function dayText(atMs: number, timeZone: string | undefined): string {
  return part(atMs, timeZone, { year: 'numeric', month: '2-digit', day: '2-digit' })
}

function part(atMs: number, timeZone: string | undefined, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat('sv-SE', { ...options, timeZone }).format(atMs)
}

/** A timestamp for a table cell: relative on a terminal, unchanged elsewhere. */
export function whenText(timestamp: string | null | undefined, style: Style): string {
  if (timestamp === null || timestamp === undefined) return ''
  const atMs = Date.parse(timestamp)
  if (!style.terminal || Number.isNaN(atMs)) return plainText(timestamp)
  return relativeText(atMs, style.nowMs)
}

/** The short name of the user's zone at a time: `EST`, `GMT+1`. */
export function zoneText(atMs: number, timeZone: string | undefined): string {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'short' }).formatToParts(atMs)
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
}

/** A timestamp for a card: the clock time with its zone, and how long ago. */
export function momentText(timestamp: string | null | undefined, style: Style): string {
  if (timestamp === null || timestamp === undefined) return ''
  const atMs = Date.parse(timestamp)
  if (Number.isNaN(atMs)) return plainText(timestamp)
  return `${clockText(atMs, style)} ${zoneText(atMs, style.timeZone)} (${relativeText(atMs, style.nowMs)})`
}
