import { trimmed } from '../../shared/texts.js'
import { phoneOf, wholeNumberOf } from './texts.js'

/** What cells of sheets hold where requests have other forms. */

/**
 * The number of items that a text of an order names: `3`, `x2`, `2 pcs`, `2 x Burger, 1 x Fries`, `Burger (2); Cola`. A
 * text without any number names none.
 */
export function itemsCountOf(text: string): number | undefined {
  if (/^\d{1,4}$/.test(text)) return Number(text)
  const bare = trimmed(text)
  const whole = wholeNumberOf(
    bare.replace(/^[x×]\s*|\s*(?:[x×]|items?|pcs?\.?|pieces?|ea\.?|each|units?|bags?|box(?:es)?)$/i, ''),
  )
  if (whole !== undefined) return whole
  const parts = bare
    .split(/[,;|\r\n]|\s\+\s/)
    .map(trimmed)
    .filter((part) => part !== '')
  const counts = parts.map((part) => {
    const [, before, behind, inBrackets] =
      /^(\d{1,4})\s*[x×*]\s|^(?:.*\s)[x×]\s?(\d{1,4})$|^.*\((?:[x×]\s?)?(\d{1,4})\)$/i.exec(part) ?? []
    return before ?? behind ?? inBrackets
  })
  return counts.every((count) => count === undefined)
    ? undefined
    : counts.reduce((sum, count) => sum + Number(count ?? 1), 0)
}

/**
 * A ZIP code as a sheet has kept it: `283011234` and `28301 1234` with their hyphen, `28301-` without one, `28301.0` and
 * `28,301` as the number that they were.
 * Another text stays as it is.
 */
export function zipOf(text: string): string {
  if (/^\d{5}$/.test(text)) return text
  const whole = text
    .replace(/^(\d{5})[-\u2010-\u2015]$/, '$1')
    .replace(/^(\d{5})[\s\u2010-\u2015]+(\d{4})$/, '$1-$2')
    .replace(/^(\d{3,5}|\d{8,9})\.0+$/, '$1')
    .replace(/^(\d{1,2}),(\d{3})$/, '$1$2')
  return whole.replace(/^(\d{5})(\d{4})$/, '$1-$2')
}

/** A date with a time, and what joins it to the end of a window. */
const windowStart =
  /^(.*(?:\d{4}|\d[/.-]\d{1,4})|(?:\p{L}{2,9}\.?,? )?(?:\d{1,2}(?:[ -]|\. ?)\p{L}{3,9}\.?|\p{L}{3,9}\.? \d{1,2}(?:st|nd|rd|th)?)|(?:sun|mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?)(?:day)?\.?)([T,\s]+(?:at |@ )?)(\d{1,2})((?:[:.]\d{2}){0,2})\s*([ap]\.?(?:\s?m\.?)?)?$/iu
const windowEnd = /^(\d{1,2})((?:[:.]\d{2}){0,2})\s*([ap]\.?(?:\s?m\.?)?)?$/i
/** The clocks that a window names behind it, for both of its ends: `EST`, `(ET)`. */
const clocks = /\s*\(?\b((?:[ECMP]|AK)[SD]?T|AST|HST|ChST|UTC|GMT|(?:Eastern|Central|Mountain|Pacific)(?: Time)?)\)?$/
/** A moment with its offset, which no window looks like: with seconds, as databases print it, or `2036-11-30T17:00-05:00`. */
const offsetTime =
  /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}:\d{2}(?:\.\d+)?[+-]\d{2}(?::?\d{2})?|T(?:1[1-9]|2\d):\d{2}-(?:0[4-9]|10):?00)$|:\d{2}:\d{2} [AP]M [+-]\d{2}:\d{2}$/
/** A moment of the country, or a window over midnight: `2036-11-30 17:00-05:00`. */
const offsetOrEnd = /^\d{4}-\d{2}-\d{2} (?:1[1-9]|2\d):\d{2} ?-(?:0[4-9]|10):00$/
const noon = /\b(?:12(?::00)? ?)?(?:noon|midday)\b/gi

/**
 * The start and the end of a window in one cell: `11/30/2036 3:00 PM - 5:00 PM`, `11/30/2036 3-5 PM`, or two ISO times
 * with a slash between them. An end without a date is on the day of the start, or on the next, `… 1 AM next day`, if it is
 * past midnight: `11/30/2036 11 PM - 1 AM`.
 */
export function windowIn(cell: string): {
  /** When it begins, as it is written. */
  start: string
  /** When it ends, if it says so. */
  end?: string
} {
  if (cell.length > 200) return { start: cell }
  const plain = cell.replace(noon, '12:00 PM')
  if (plain !== cell) {
    const window = windowIn(plain)
    return window.end === undefined ? { start: cell } : window
  }
  const [named, clock = ''] = clocks.exec(cell) ?? []
  if (named !== undefined) {
    const bare = cell.slice(0, -named.length)
    const own = new RegExp(`\\s*\\(?\\b${clock}\\)?(?=\\s*(?:[-\\u2010-\\u2015]|to|until|till)\\s*\\d)`)
    const window = windowIn(bare.replace(own, ''))
    return window.end === undefined
      ? { start: cell }
      : { start: `${window.start} ${clock}`, end: `${window.end} ${clock}` }
  }
  if (offsetTime.test(cell)) return { start: cell }
  const [, start = '', end = ''] = /^(\S+T\S+|(?!\p{L}+\.?,? \d{1,2} ?\/)\S+ \S+) ?\/ ?(\d.*:.*)$/u.exec(cell) ?? []
  if (start !== '') return { start, end }
  for (const { 0: joint, index } of cell.matchAll(/\s*(?:[-\u2010-\u2015]|\bto\b|\buntil\b|\btill\b|\bbis\b)\s*/gi)) {
    const window = windowOf(
      cell.slice(0, index).replace(hours, ''),
      cell.slice(index + joint.length).replace(hours, ''),
    )
    if (window !== undefined) return window
  }
  return { start: cell }
}

/** Whether the end of a window could as well be the offset of its start. */
export function mayBeOffset(cell: string): boolean {
  return offsetOrEnd.test(cell)
}

const hours = /\s?Uhr$/i

function windowOf(from: string, until: string): { start: string; end: string } | undefined {
  const [, date, between = ' ', hour = '', minutes = '', half] = windowStart.exec(from) ?? []
  if (date === undefined) return undefined
  if (windowStart.test(until)) return { start: from, end: until }
  const isTold = half !== undefined || /^(?:1[3-9]|2[0-3])$/.test(hour)
  if (isTold && /^(?:12 )?midnight$/i.test(until)) return { start: from, end: `${date}${between}24:00` }
  const [, endHour = '', endMinutes = '', endHalf] = windowEnd.exec(until) ?? []
  if (endHour === '') return undefined
  // `11:30-1` lasts over noon: no other reading begins and ends on its day.
  const isOverNoon = half === undefined && endHalf === undefined && Number(endHour) < Number(hour)
  if (isOverNoon && /^(?:[1-9]|1[01])$/.test(hour) && /^[1-9]$|^1[01]$/.test(endHour))
    return { start: from, end: `${date}${between}${Number(endHour) + 12}${endMinutes || ':00'}` }
  // `11 AM-1`, `5 PM-7`: the other half of the day would end it before it begins.
  if (half !== undefined && endHalf === undefined && /^(?:[1-9]|1[0-2])$/.test(endHour)) {
    const startHour = hourOf(hour, half)
    const isSure = Number(endHour) % 12 < startHour && (Number(endHour) % 12) + 12 > startHour
    return { start: from, end: `${date}${between}${until}${isSure ? ' PM' : ''}` }
  }
  // `3-5 PM` begins in the afternoon, `11-1 PM` in the morning.
  const isBefore = Number(hour) % 12 < Number(endHour) % 12
  const own = half === undefined && endHalf !== undefined && Number(hour) <= 12 ? (isBefore ? endHalf : 'AM') : half
  const start = own === half ? from : `${date}${between}${hour}${minutes} ${own}`
  const [begin, end] = [hourOf(hour, half), hourOf(endHour, endHalf)]
  // Longer than half a day is rather a mistake.
  const isOverMidnight = begin >= 12 && end < 12 && end + 12 <= begin
  return { start, end: `${date}${between}${until}${isOverMidnight ? ' next day' : ''}` }
}

/** The hour on a clock of 24 hours; `NaN` if it may be in either half of the day. */
function hourOf(hour: string, half: string | undefined): number {
  if (half !== undefined) return (Number(hour) % 12) + (/^p/i.test(half) ? 12 : 0)
  return /^(?:0\d|1[3-9]|2[0-3])$/.test(hour) ? Number(hour) : Number.NaN
}

/** Why a text is no phone of North America, and what to do; `undefined` if nothing is known of it. */
export function phoneFault(value: string): string | undefined {
  const text = trimmed(value).replace(/\s+/g, ' ')
  if (/^[2-9]\d{2}[ .\-\u2010-\u2015]?\d{4}$/.test(text)) return 'has no area code; put it in front'
  const parts = text.split(/ ?(?:\/|;|,| or | and |&|\n) ?/i)
  return parts.length > 1 && parts.every((part) => phoneOf(part) !== undefined)
    ? 'holds several numbers; give one here, and the others in dropoff.instructions'
    : undefined
}

/** The digits of a phone that a sheet has taken for a number: `9105550101.0`, or `9.105550101E+09` with all ten of them. */
export function wholeDigits(text: string): string {
  const bare = trimmed(text).replace(/^(\d{10,11})\.0+$/, '$1')
  const [, first = '', more = '', power] = /^(\d)[.,](\d{9,10})E\+?(9|09|10)$/i.exec(bare) ?? []
  return more !== '' && more.length === Number(power) ? `${first}${more}` : bare
}
