import { shellWord } from '../../../shared/command-words.js'
import { roundedSpan } from '../../../shared/durations.js'

/** A time relative to now. */
export function ageText(at: string | null | undefined, nowMs: number): string {
  const atMs = Date.parse(at ?? '')
  if (Number.isNaN(atMs)) return ''
  const ms = nowMs - atMs
  if (Math.abs(ms) < 5_000) return 'now'
  return ms < 0 ? `in ${roundedSpan(ms)}` : `${roundedSpan(ms)} ago`
}

// Made once: a formatter takes longer to make than to use a hundred times.
const timeOfDay = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })
const dayOfYear = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric' })
const dayAndYear = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', year: 'numeric' })

const minuteOfDay = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' })

/** `14:05`, in the zone of this machine; with the day if it is another one, and the year. */
export function minuteText(at: string, nowMs: number): string {
  return clockText(at, nowMs, minuteOfDay)
}

/** `14:05:09`, in the zone of this machine; with the day if it is another one, and the year. */
export function clockText(at: string, nowMs: number, time = timeOfDay): string {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return at
  const now = new Date(nowMs)
  const isToday = date.getDate() === now.getDate() && Math.abs(nowMs - date.getTime()) < 86_400_000
  const day = date.getFullYear() === now.getFullYear() ? dayOfYear : dayAndYear
  return isToday ? time.format(date) : `${day.format(date)} ${time.format(date)}`
}

const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' })
const amount = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })

/** `$11.50`, or `11.50 CAD` in another currency than the contract's default. */
export function priceText(cents: number | null | undefined, currency: string | null | undefined): string {
  if (cents == null) return '—'
  return currency == null || currency === 'USD'
    ? dollars.format(cents / 100)
    : `${amount.format(cents / 100)} ${currency}`
}

/** `driver_at_pickup` as people say it: `driver at pickup`. */
export function words(name: string): string {
  return name.replaceAll('_', ' ')
}

/** An event type as it is shown among others: nearly all of them begin with `delivery.`. */
export function shortType(type: string): string {
  return type.replace(/^delivery\./, '')
}

export function count(number: number, noun: string): string {
  const many = /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`
  return `${number.toLocaleString('en-US')} ${number === 1 ? noun : many}`
}

/** The words of a command, each value in it quoted. */
export function command(texts: TemplateStringsArray, ...values: readonly string[]): string {
  return String.raw({ raw: texts }, ...values.map(shellWord))
}
