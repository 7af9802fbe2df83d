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
