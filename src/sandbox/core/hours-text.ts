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
