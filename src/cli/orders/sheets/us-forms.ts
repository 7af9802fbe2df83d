import { phoneOf, type Unit, UsageError, unitsOf, wholeDigits } from '../../../contract/index.js'
import { valueAt } from '../../../render/view.js'
import { withWindowEnds } from '../../../trade/zoned-time.js'
import { withValue } from '../../input/assignments.js'
import type { WallTime } from '../../input/wall-time.js'
import type { StoreClocks } from './store-clocks.js'

/** How the phones and times of a sheet are written, beside the forms of the contract. */
export interface SheetForms {
  /** Phones such as `(910) 555-0101`. */
  usPhones: boolean
  /** The clocks of times without a zone, such as `11/25/2026 3:00 PM`. */
  clocks: StoreClocks | undefined
  /** Values of orders that have none of their own, by path. */
  values?: ReadonlyMap<string, unknown> | undefined
  /** Fields of columns that are probably in another unit than the contract's. */
  doubts?: readonly UnitDoubt[] | undefined
}

/** A field from a column that may be in another unit. */
export interface UnitDoubt {
  path: string
  /** The unit that the column's name suggests. */
  unit: Unit
  /** The numbers that are hardly meant in the contract's unit: whole ones below this. */
  below: number
  /** How to say what is meant. */
  hint: string
}

const phonePath = 'dropoff.contactPhone'
const timePaths = ['pickup', 'dropoff'].flatMap((stop) => ['start', 'end'].map((end) => `timeWindows.${stop}.${end}`))

/**
 * An order with phones and times in the forms of the contract. What is not in one of the given forms stays as it is.
 *
 * @throws UsageError for a time that does not exist, or whose zone is not known
 */
export function withForms(
  order: Record<string, unknown>,
  { usPhones, clocks, values, doubts }: SheetForms = { usPhones: false, clocks: undefined },
): Record<string, unknown> {
  let made = withWindowEnds(order)
  for (const [path, value] of values ?? [])
    if (isBlank(valueAt(made, path))) made = withValue(made, path, value, '--map-file: values')
  const given = valueAt(order, phonePath)
  const phone = usPhones ? phoneOf(typeof given === 'string' ? wholeDigits(given) : given) : undefined
  if (phone !== undefined) made = withValue(made, phonePath, phone, '--us-phones')
  for (const doubt of doubts ?? []) refuseDoubtful(order, doubt)
  for (const path of timePaths) {
    const moment = zonedTimeOf(valueAt(made, path)) ?? namedClockTimeOf(valueAt(made, path))
    if (moment !== undefined) made = withValue(made, path, moment)
  }
  return clocks === undefined ? made : withMoments(made, clocks)
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}

/** An order whose times without a zone are moments. */
function withMoments(order: Record<string, unknown>, clocks: StoreClocks): Record<string, unknown> {
  let made = order
  for (const path of timePaths) {
    const given = valueAt(order, path)
    const time = localTimeOf(given)
    if (typeof given === 'string') refuseDayFirst(given, path, time !== undefined, clocks)
    if (time === undefined && typeof given === 'string' && given !== '' && !/^\d{4}-\d{2}-\d{2}T/.test(given))
      throw new UsageError(`${path}: "${given.slice(0, 80)}" is not a time such as 11/25/2026 3:00 PM`)
    if (typeof given === 'string' && given !== '') clocks.look(given)
    if (time !== undefined) made = withValue(made, path, clocks.momentOf(time, order, path), '--us-times')
  }
  return made
}

const slashed = /^\s*(\d{1,2})\/(\d{1,2})\/(?:\d{4}|\d{2})\b/

/** `07/01/2027` below `30/11/2026` is the seventh of January: nobody writes one column in two ways. */
function refuseDayFirst(given: string, path: string, isRead: boolean, clocks: StoreClocks): void {
  const [, first = '', second = ''] = slashed.exec(given) ?? []
  if (first === '' || Number(second) > 12 || Number(first) === Number(second)) return
  const hint = 'Write all of them month first, or as 2027-01-07 15:00.'
  const shown = `${path}: "${given.slice(0, 80)}"`
  if (!isRead && Number(first) > 12 && Number(first) <= 31) {
    clocks.dayFirst ??= given
    throw new UsageError(`${shown} begins with its day, and times are read month first, those above too`, { hint })
  }
  if (!isRead || clocks.dayFirst === undefined) return
  throw new UsageError(`${shown} may begin with its day, as "${clocks.dayFirst.slice(0, 80)}" of this file does`, {
    hint,
  })
}

/** `45` in a column "Total" is 45 dollars, and `12` in "Weight (lb)" 12 pounds. */
function refuseDoubtful(order: unknown, { path, below, hint }: UnitDoubt): void {
  const amount = valueAt(order, path)
  if (typeof amount !== 'number' || amount <= 0 || amount >= below) return
  const [contractUnit] = unitsOf(path)
  throw new UsageError(`${path}: "${amount}" would be ${amount} ${contractUnit}`, { hint })
}

/** `11/25/2026 3:00 PM`, `11/25/26, 15:00`. */
const usTime =
  /^\s*(\d{1,2})\/(\d{1,2})\/(\d{4}|\d{2})[,\s]+(\d{1,2})(?::(\d{2}))?(?::(\d{2})(?:\.0+)?)?\s*(?:([AP])\.?\s?M\.?)?\s*$/i

/** `2026-11-25 15:00`, `2026-11-25T15:00:00`, `2026/11/28 3:00 PM`. */
const isoTime = /^\s*(\d{4})([-/])(\d{1,2})\2(\d{1,2})[T,\s]+(\d{1,2}:\d{2}.*)$/i

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
/** `Nov 30, 2036 3:00 PM`, `November 30 2036 at 15:00`. */
const monthFirst = /^([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})\b/i
/** `30 Nov 2036 15:00`, `30-Nov-2036, 3 PM`. */
const dayFirst = /^(\d{1,2})(?:[ -]|\. ?)([a-z]{3,9})\.?[ -](\d{4})\b/i

/** A date with a named month as `11/30/2036`; a weekday before any date goes. */
function numericDate(text: string): string {
  const bare = text
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}\.?,? (?=\S)/i, '')
  const dated = (name: string, day: string, year: string, whole: string) => {
    const month = months.findIndex((each) => name.toLowerCase().startsWith(each)) + 1
    return month === 0 ? whole : `${month}/${day}/${year}`
  }
  return bare
    .replace(monthFirst, (whole, name: string, day: string, year: string) => dated(name, day, year, whole))
    .replace(dayFirst, (whole, day: string, name: string, year: string) => dated(name, day, year, whole))
    .replace(/^(\d{1,2}\/\d{1,2}\/\d{2,4}),? (?:at|@) /i, '$1 ')
}

function localTimeOf(value: unknown): WallTime | undefined {
  const text = typeof value === 'string' ? value : ''
  const american = numericDate(text).replace(isoTime, '$3/$4/$1 $5')
  const [, month = '', day = '', year = '', hour = '', minute = '0', second = '0', half] = usTime.exec(american) ?? []
  if (month === '' || (half !== undefined && (Number(hour) < 1 || Number(hour) > 12))) return undefined
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toUpperCase() === 'P' ? 12 : 0)
  const fullYear = year.length === 2 ? 2_000 + Number(year) : Number(year)
  const date = new Date(Date.UTC(fullYear, Number(month) - 1, Number(day)))
  const isDate = date.getUTCMonth() + 1 === Number(month) && date.getUTCDate() === Number(day)
  // 24:00 is the end of a day.
  const isMidnight = hours === 24 && Number(minute) === 0 && Number(second) === 0
  if (!isDate || (hours > 23 && !isMidnight) || Number(minute) > 59 || Number(second) > 59) return undefined
  const wallMs = Date.UTC(fullYear, Number(month) - 1, Number(day), hours, Number(minute), Number(second))
  return { text, wallMs }
}

/** What clocks of the country are called, with how far they are behind UTC. */
const clockNames: Readonly<Record<string, string>> = {
  EST: '-05:00',
  EDT: '-04:00',
  CST: '-06:00',
  CDT: '-05:00',
  MST: '-07:00',
  MDT: '-06:00',
  PST: '-08:00',
  PDT: '-07:00',
  AKST: '-09:00',
  AKDT: '-08:00',
  HST: '-10:00',
}

/** `11/30/2036 3:00 PM EST`: a wall time with the name of its clock. */
function namedClockTimeOf(value: unknown): string | undefined {
  const [, wall = '', clock = ''] =
    typeof value === 'string' ? (/^(.*\S)\s+\(?([A-Z]{3,4})\)?\s*$/.exec(value) ?? []) : []
  const offset = Object.hasOwn(clockNames, clock) ? clockNames[clock] : undefined
  const time = offset === undefined ? undefined : localTimeOf(wall)
  return time === undefined ? undefined : `${new Date(time.wallMs).toISOString().slice(0, 19)}${offset}`
}

/** `2026-11-27 09:14:33 -0500`, as shops write a moment; `undefined` for what has no offset. */
function zonedTimeOf(value: unknown): string | undefined {
  const found =
    typeof value === 'string'
      ? /^(\d{4}-\d{2}-\d{2})[T\s]+(\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)\s*(?:(Z|UTC|GMT)|([+-]\d{2}):?(\d{2}))$/i.exec(
          value,
        )
      : null
  if (found === null) return undefined
  const [, date = '', time = '', utc, hours, minutes] = found
  const written = `${date}T${time}${utc === undefined ? `${hours}:${minutes}` : 'Z'}`
  return written === value || Number.isNaN(Date.parse(written)) ? undefined : written
}

/** Throws `RangeError` for what is not a zone. */
export function zoneFormat(zone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
}
