import { dayMs, hourMs } from '../shared/durations.js'
import { isRecord } from '../shared/json.js'

/** A day on a wall calendar; `month` from 1. */
export interface LocalDate {
  year: number
  month: number
  day: number
}

/** The names of ISO weekdays, from Monday. */
export const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const

export interface LocalTime extends LocalDate {
  hour: number
  minute: number
  second: number
}

/** Whether a name is that of a zone, such as `America/New_York`. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name })
    return true
  } catch {
    // Intl has no other way to ask.
    return false
  }
}

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(timezone: string): Intl.DateTimeFormat {
  let format = formats.get(timezone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: timezone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    formats.set(timezone, format)
  }
  return format
}

/** How far the clocks of zones are ahead of UTC through a day or an hour; `undefined` if they change in it. */
class Offsets {
  readonly #byZone = new Map<string, Map<number, number | undefined>>()
  readonly #spanMs: number

  constructor(spanMs: number) {
    this.#spanMs = spanMs
  }

  /** The offset in milliseconds through the span that a moment is in. */
  at(atMs: number, timezone: string): number | undefined {
    const found = this.#byZone.get(timezone)
    const known = found !== undefined && found.size < spansMax ? found : new Map<number, number | undefined>()
    if (known !== found) this.#byZone.set(timezone, known)
    const span = Math.floor(atMs / this.#spanMs)
    if (known.has(span)) return known.get(span)
    const ends = [span * this.#spanMs, (span + 1) * this.#spanMs - 1_000]
    const [first, last] = ends.map((ms) => utcMsOf(shownTime(ms, timezone)) - ms)
    const offset = first === last ? first : undefined
    known.set(span, offset)
    return offset
  }
}

const spansMax = 10_000
/** No zone changes its clocks twice in a day. */
const throughDays = new Offsets(dayMs)
const throughHours = new Offsets(hourMs)

/** The time that the clocks of a zone show. */
export function localTimeOf(atMs: number, timezone: string): Readonly<LocalTime> {
  const offset = throughDays.at(atMs, timezone) ?? throughHours.at(atMs, timezone)
  if (offset === undefined) return shownTime(atMs, timezone)
  const shown = new Date(atMs + offset)
  return {
    year: shown.getUTCFullYear(),
    month: shown.getUTCMonth() + 1,
    day: shown.getUTCDate(),
    hour: shown.getUTCHours(),
    minute: shown.getUTCMinutes(),
    second: shown.getUTCSeconds(),
  }
}

function shownTime(atMs: number, timezone: string): LocalTime {
  const time = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0 }
  for (const { type, value } of formatOf(timezone).formatToParts(atMs)) {
    if (type in time) time[type as keyof typeof time] = Number(value)
  }
  return time
}

function utcMsOf({ year, month, day, hour, minute, second }: LocalTime): number {
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

/** The weekday and time of a zone, such as `Tue 14:05`; empty for an unknown zone. */
export function localTimeText(atMs: number, timezone: string): string {
  try {
    const time = localTimeOf(atMs, timezone)
    const two = (value: number) => String(value).padStart(2, '0')
    return `${weekdays[weekdayOf(time) - 1]} ${two(time.hour)}:${two(time.minute)}`
  } catch {
    return '' // an unknown zone
  }
}

export function localDateOf(atMs: number, timezone: string): LocalDate {
  const { year, month, day } = localTimeOf(atMs, timezone)
  return { year, month, day }
}

/**
 * The moment at which the clocks of a zone show a time such as `05:30`, or `24:00` for the end of the day. A time that
 * a day skips in spring is taken as long after midnight as it would be on any other day; one that it has twice in
 * autumn is the first.
 */
export function localTimeToMs(date: LocalDate, clock: string, timezone: string): number {
  const [hour = 0, minute = 0] = clock.split(':').map(Number)
  const asUtcMs = Date.UTC(date.year, date.month - 1, date.day, hour, minute)
  const before = offsetMs(asUtcMs - dayMs, timezone)
  const firstMs = asUtcMs - before
  if (offsetMs(firstMs, timezone) === before) return firstMs
  const after = offsetMs(asUtcMs + dayMs, timezone)
  const secondMs = asUtcMs - after
  return offsetMs(secondMs, timezone) === after ? secondMs : firstMs
}

/**
 * The moments at which the clocks of a zone show a time, which is given as if it were UTC: none for one that they skip in
 * spring, two for one that they show twice in autumn.
 */
export function momentsOf(wallMs: number, timezone: string): number[] {
  const offsets = new Set([offsetMs(wallMs - dayMs, timezone), offsetMs(wallMs + dayMs, timezone)])
  return [...offsets]
    .map((offset) => wallMs - offset)
    .filter((atMs) => atMs + offsetMs(atMs, timezone) === wallMs)
    .sort((one, other) => one - other)
}

/** ISO weekday: 1 for Monday to 7 for Sunday. */
export function weekdayOf(date: LocalDate): number {
  return new Date(Date.UTC(date.year, date.month - 1, date.day)).getUTCDay() || 7
}

export function addDays(date: LocalDate, days: number): LocalDate {
  const moved = new Date(Date.UTC(date.year, date.month - 1, date.day + days))
  return { year: moved.getUTCFullYear(), month: moved.getUTCMonth() + 1, day: moved.getUTCDate() }
}

/** Minutes since local midnight, as the clocks show it. */
export function minuteOfDay(atMs: number, timezone: string): number {
  const { hour, minute } = localTimeOf(atMs, timezone)
  return hour * 60 + minute
}

function offsetMs(atMs: number, timezone: string): number {
  return utcMsOf(localTimeOf(atMs, timezone)) - Math.floor(atMs / 1000) * 1000
}

/**
 * The end of a window, completed from its start: ISO 8601 lets `2026-11-24T20:00Z/22:00Z` leave out the date that is the
 * same, and the zone, which both ends may lack. What is not only a time stays as it is.
 */
export function windowEnd(start: string, end: string): string {
  const [, day] = /^\s*(\d{1,2}\/\d{1,2}\/\d{2,4},?\s+)\d/.exec(start) ?? []
  if (day !== undefined && /^\s*\d{1,2}(?::\d{2}){0,2}\s*(?:[ap]\.?\s?m\.?)?\s*$/i.test(end))
    return `${day}${end.trim()}`
  const [, date, zone] = /^\s*(\d{4}-\d{2}-\d{2}[T ])\d{2}:\d{2}\S*?(Z|[+-]\d{2}:\d{2})?\s*$/i.exec(start) ?? []
  const [, time, own] = /^\s*(\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(Z|[+-]\d{2}:\d{2})?\s*$/i.exec(end) ?? []
  return date === undefined || time === undefined ? end : `${date}${time}${own ?? zone ?? ''}`
}

/** An order, or a change of one, whose windows may end with only a time, such as `22:00Z`, on the day of their start. */
export function withWindowEnds(order: Record<string, unknown>): Record<string, unknown> {
  const { timeWindows } = order
  if (!isRecord(timeWindows)) return order
  const whole = Object.entries(timeWindows).map(([stop, window]) => {
    if (!isRecord(window) || typeof window.start !== 'string' || typeof window.end !== 'string') return [stop, window]
    return [stop, { ...window, end: windowEnd(window.start, window.end) }]
  })
  return { ...order, timeWindows: Object.fromEntries(whole) }
}
