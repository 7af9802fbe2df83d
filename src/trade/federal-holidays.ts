import { addDays, type LocalDate, weekdayOf } from './zoned-time.js'

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
