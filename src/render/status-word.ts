import { isActive, type Tone, toneOf } from '../trade/statuses.js'
import { plainText } from './plain-text.js'
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
