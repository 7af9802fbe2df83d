import type { GateRow, GateSchedule } from '../model.js'

const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

/** The hours of a gate as people read them, such as `Mon-Fri 05:00-21:00; Sat 06:00-12:00; PH off`. */
export function hoursText({
  schedule,
  closedOnFederalHolidays,
}: Pick<GateRow, 'schedule' | 'closedOnFederalHolidays'>) {
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
export function parseHoursText(text: string): Pick<GateRow, 'schedule' | 'closedOnFederalHolidays'> | undefined {
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
