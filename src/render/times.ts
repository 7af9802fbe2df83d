import { spanText } from '../shared/spans.js'
import { plainText } from './plain-text.js'
import type { Style } from './style.js'

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
