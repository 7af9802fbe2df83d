import { dayMs } from '../shared/durations.js'
import { addDays, type LocalDate, localDateOf, localTimeToMs, weekdayOf, weekdays } from './zoned-time.js'

/** Opening hours of some weekdays: ISO weekdays from 1 for Monday, times such as `05:30` and `24:00`. */
interface GateSchedule {
  days: number[]
  open: string
  close: string
}

/** The hours of a week. */
interface WeeklyHours {
  schedule: GateSchedule[]
  closedOnFederalHolidays: boolean
}

/** The hours of a week on the clocks of a zone. */
export interface GateTimes extends WeeklyHours {
  timezone: string
}

/** A stretch of time that a gate is open, `toMs` exclusive. */
interface OpenInterval {
  fromMs: number
  toMs: number
}

/** Hours repeat every week; a holiday may take a day out of it, so two weeks show every opening there is. */
export const horizonMs = 15 * dayMs

/** The hours of a gate as people read them, such as `Mon-Fri 05:00-21:00; Sat 06:00-12:00; PH off`. */
export function hoursText({ schedule, closedOnFederalHolidays }: WeeklyHours) {
  const entries = schedule.map(entryText)
  return [...(entries.length === 0 ? ['closed'] : entries), ...(closedOnFederalHolidays ? ['PH off'] : [])].join('; ')
}

function entryText({ days, open, close }: GateSchedule): string {
  if (days.length === 7 && open === '00:00' && close === '24:00') return '24/7'
  return `${daysText(days)} ${open}-${close}`
}

/** Days in a row from the first to the last, others one by one. */
function daysText(days: readonly number[]): string {
  const sorted = days.toSorted((a, b) => a - b)
  const names = sorted.map((day) => weekdays[day - 1] ?? '?')
  const isRow = sorted.length > 1 && sorted.every((day, index) => day === (sorted[0] ?? 0) + index)
  return isRow ? `${names[0]}-${names.at(-1)}` : names.join(',')
}

/** Reads what `hoursText` writes, in any order and case; `undefined` for any other text. */
export function parseHoursText(text: string): WeeklyHours | undefined {
  const parts = text.split(';').map((part) => part.trim().toLowerCase())
  const hours = parts.filter((part) => part !== 'ph off')
  const schedule = hours.length === 1 && hours[0] === 'closed' ? [] : hours.map(parseEntry)
  if (hours.length === 0 || !schedule.every((entry) => entry !== undefined)) return undefined
  return { schedule, closedOnFederalHolidays: hours.length < parts.length }
}

const entryForm =
  /^(?:(daily)|([a-z]{3}(?:[-,] ?[a-z]{3})*)) ((?:[01]?\d|2[0-3]):[0-5]\d)-((?:[01]?\d|2[0-3]):[0-5]\d|24:00)$/

function parseEntry(text: string): GateSchedule | undefined {
  if (text === '24/7') return { days: [1, 2, 3, 4, 5, 6, 7], open: '00:00', close: '24:00' }
  const [, daily, names = '', open = '', close = ''] = entryForm.exec(text) ?? []
  if (open === '') return undefined
  const days = daily === undefined ? parseDays(names) : [1, 2, 3, 4, 5, 6, 7]
  return days && { days, open: open.padStart(5, '0'), close: close.padStart(5, '0') }
}

/** `mon-fri` or `sat, sun`; a row may go beyond the end of the week. */
function parseDays(names: string): number[] | undefined {
  const days = new Set<number>()
  for (const row of names.split(',')) {
    const [first = -1, last = first, ...more] = row.trim().split('-').map(dayOf)
    if (first < 0 || last < 0 || more.length > 0) return undefined
    for (let day = first; ; day = (day + 1) % 7) {
      days.add(day + 1)
      if (day === last) break
    }
  }
  return [...days].sort((one, other) => one - other)
}

function dayOf(name: string): number {
  return weekdays.findIndex((weekday) => weekday.toLowerCase() === name)
}

/** When the gate is open between two moments, in order, touching stretches joined. */
export function openIntervals(gate: GateTimes, fromMs: number, toMs: number): OpenInterval[] {
  return anyOpen([gate], fromMs, toMs)
}

/** When at least one of the gates is open between two moments. */
export function anyOpen(gates: readonly GateTimes[], fromMs: number, toMs: number): OpenInterval[] {
  const found = gates.flatMap((gate) => openDays(gate, fromMs, toMs))
  return joined(found).filter((interval) => interval.toMs > fromMs && interval.fromMs < toMs)
}

function openDays(gate: GateTimes, fromMs: number, toMs: number): OpenInterval[] {
  const found: OpenInterval[] = []
  const last = localDateOf(toMs, gate.timezone)
  // The night before may reach into the first day.
  for (let date = addDays(localDateOf(fromMs, gate.timezone), -1); !isAfter(date, last); date = addDays(date, 1)) {
    found.push(...intervalsOfDay(gate, date))
  }
  return found
}

/** Until when a gate that is open at this moment stays open, as far as two weeks show; `undefined` if it is closed. */
export function openUntilMs(gate: GateTimes, atMs: number): number | undefined {
  return openIntervals(gate, atMs, atMs + horizonMs).find((interval) => interval.fromMs <= atMs)?.toMs
}

/** The next moment from `atMs` on at which one of the gates opens; `undefined` if none ever does. */
export function nextOpeningMs(gates: readonly GateTimes[], atMs: number): number | undefined {
  const openings = gates.flatMap((gate) =>
    openIntervals(gate, atMs, atMs + horizonMs).map((interval) => Math.max(interval.fromMs, atMs)),
  )
  return openings.length === 0 ? undefined : Math.min(...openings)
}

/** Whether one of the gates is open at some moment of a window. */
export function opensWithin(gates: readonly GateTimes[], fromMs: number, toMs: number): boolean {
  return gates.some((gate) => openIntervals(gate, fromMs, toMs).length > 0)
}

function intervalsOfDay(gate: GateTimes, date: LocalDate): OpenInterval[] {
  if (gate.closedOnFederalHolidays && isFederalHoliday(date)) return []
  const weekday = weekdayOf(date)
  return gate.schedule
    .filter((entry) => entry.days.includes(weekday))
    .map(({ open, close }) => {
      const closingDate = close <= open ? addDays(date, 1) : date
      return {
        fromMs: localTimeToMs(date, open, gate.timezone),
        toMs: localTimeToMs(closingDate, close, gate.timezone),
      }
    })
}

function joined(intervals: OpenInterval[]): OpenInterval[] {
  const result: OpenInterval[] = []
  for (const interval of intervals.sort((a, b) => a.fromMs - b.fromMs)) {
    const last = result.at(-1)
    if (last !== undefined && interval.fromMs <= last.toMs) last.toMs = Math.max(last.toMs, interval.toMs)
    else result.push({ ...interval })
  }
  return result
}

function isAfter(date: LocalDate, other: LocalDate): boolean {
  return Date.UTC(date.year, date.month - 1, date.day) > Date.UTC(other.year, other.month - 1, other.day)
}

/** Whether a gate is open, and until when; `undefined` if its hours cannot be read, or its zone is unknown. */
interface GateState {
  isOpen: boolean
  /** When it closes or opens next, in milliseconds since the epoch; absent if it never does within two weeks. */
  untilMs?: number
}

/** The hours that the service says of a gate. */
interface SaidHours {
  hours?: string | null | undefined
  timezone?: string | null | undefined
}

/** The times of a gate by what the service says. The contract defines no format: `undefined` for what is unknown. */
export function gateTimesOf({ hours, timezone }: SaidHours): GateTimes | undefined {
  const weekly = hours == null ? undefined : parseHoursText(hours)
  if (weekly === undefined || timezone == null) return undefined
  try {
    localDateOf(0, timezone)
    return { ...weekly, timezone }
  } catch (error) {
    if (error instanceof RangeError) return undefined // an unknown zone
    throw error
  }
}

/** The state of a gate by the hours that the service says. */
export function gateStateOf(said: SaidHours, atMs: number): GateState | undefined {
  const gate = gateTimesOf(said)
  if (gate === undefined) return undefined
  const closesMs = openUntilMs(gate, atMs)
  const isForever = closesMs !== undefined && closesMs >= atMs + horizonMs - dayMs
  if (closesMs !== undefined) return isForever ? { isOpen: true } : { isOpen: true, untilMs: closesMs }
  const opensMs = nextOpeningMs([gate], atMs)
  return opensMs === undefined ? { isOpen: false } : { isOpen: false, untilMs: opensMs }
}

/** Public holidays of the United States government, 5 U.S.C. 6103: by date, and by weekday of a month. */
const fixed: readonly (readonly [month: number, day: number])[] = [
  [1, 1],
  [6, 19],
  [7, 4],
  [11, 11],
  [12, 25],
]

/** Month, ISO weekday, and which of the month it is; -1 for the last. */
const floating: readonly (readonly [month: number, weekday: number, nth: number])[] = [
  [1, 1, 3],
  [2, 1, 3],
  [5, 1, -1],
  [9, 1, 1],
  [10, 1, 2],
  [11, 4, 4],
]

/**
 * Whether a day is one, or is kept as one: a holiday on a Saturday is kept on the Friday before, one on a Sunday on the
 * Monday after.
 */
export function isFederalHoliday(date: LocalDate): boolean {
  const weekday = weekdayOf(date)
  if (isNamed(date)) return true
  if (weekday === 5) return isFixed(addDays(date, 1))
  return weekday === 1 && isFixed(addDays(date, -1))
}

function isNamed(date: LocalDate): boolean {
  return isFixed(date) || floating.some((rule) => isNth(date, rule))
}

function isFixed({ month, day }: LocalDate): boolean {
  return fixed.some(([holidayMonth, holidayDay]) => month === holidayMonth && day === holidayDay)
}

function isNth(date: LocalDate, [month, weekday, nth]: readonly [number, number, number]): boolean {
  if (date.month !== month || weekdayOf(date) !== weekday) return false
  return nth === -1 ? addDays(date, 7).month !== month : Math.ceil(date.day / 7) === nth
}
