import { foldedText } from '../../../shared/texts.js'
import type { WallTime } from '../../input/wall-time.js'

/** What comes first in a date of numbers. */
export type DayOrder = 'day' | 'month'

/** A time of a sheet, with what its form tells. */
export interface WrittenTime {
  /** The time that it is; `undefined` if its date has two readings and nobody has said which is meant. */
  wall: WallTime | undefined
  /** What the numbers of its date show: which comes first, or that either may; `undefined` for dates that are the same both ways. */
  order: DayOrder | 'either' | undefined
  /** The other reading of a date that has two, by what comes first. */
  readings: Readonly<Partial<Record<DayOrder, string>>>
  /** Whether its hour has AM or PM, or may lack it: `9:00` does, `09:00` and `15:00` do not. */
  half: 'said' | 'open' | 'none'
  /** The weekday that it names, if its date is another: `Monday`. */
  otherWeekday?: string | undefined
}

/** A date in numbers, with its separator: `11/30/2036`, `30.11.2036`, `30-11-2036`. */
const numberDate = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})(?=[,\s]|$)/
/** `2026-11-25`, `2026/11/28`. */
const yearDate = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?=[T,\s])/i
/** `Nov 30, 2036`, `November 30 2036`. */
const monthFirst = /^(\p{L}{3,12})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})\b/u
/** `30 Nov 2036`, `30-Nov-2036`, `30. November 2036`, `30 de noviembre de 2036`. */
const dayFirst = /^(\d{1,2})(?:[ -]|\. ?)(?:de )?(\p{L}{3,12})\.?(?: de)?[ -](\d{4})\b/u
/** `15:00`, `3 PM`, `3:00 p.m.`, `3:00p`, `15.00`, `15h00`. */
const timeOfDay = /^(\d{1,2})(?:[:.h](\d{2}))?(?::(\d{2})(?:\.0+)?)?\s*(?:([AP])\.?(?:\s?M\.?)?)?$/i

/** The words behind an end that is past midnight. */
const nextDay = ' next day'

/**
 * A time without a zone; `undefined` for a text that is none, or names a day or hour that does not exist.
 *
 * @param said what a person has said of the dates: without it, dates with slashes begin with their month
 */
export function writtenTimeOf(given: string, said?: DayOrder): WrittenTime | undefined {
  const written = given.trim().replace(/\s+/g, ' ')
  const isNextDay = written.endsWith(nextDay)
  const { weekday, text } = withoutWeekday(isNextDay ? written.slice(0, -nextDay.length) : written)
  const date = dateIn(text, said)
  if (date === undefined) return undefined
  const rest = text
    .slice(date.length)
    .replace(/^(?:T|,? (?:at|um|@|à|a las) |[,\s]+)/i, '')
    .replace(/\s?(?:Uhr|uur|hrs?)$/i, '')
    .replace(/^(\d{1,2}) ?h$/i, '$1:00')
    .replace(/^(?:12(?::00)? ?)?(?:noon|midday)$/i, '12:00 PM')
  const [, hour = '', minute, second = '0', half] = timeOfDay.exec(rest) ?? []
  if (hour === '' || (date.isIso && half === undefined && (minute === undefined || !rest.includes(':'))))
    return undefined
  if (half !== undefined && (Number(hour) < 1 || Number(hour) > 12)) return undefined
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toUpperCase() === 'P' ? 12 : 0)
  // 24:00 is the end of a day.
  const isMidnight = hours === 24 && Number(minute ?? 0) === 0 && Number(second) === 0
  if ((hours > 23 && !isMidnight) || Number(minute ?? 0) > 59 || Number(second) > 59) return undefined
  const mayLackHalf = !date.isIso && /^(?:[1-9]|1[0-2])$/.test(hour)
  const time = {
    order: date.order,
    readings: date.readings,
    half: half !== undefined ? ('said' as const) : mayLackHalf ? ('open' as const) : ('none' as const),
  }
  if (date.day === undefined) return { wall: undefined, ...time }
  const [year, month, day] = date.day
  const wallMs = Date.UTC(year, month - 1, day + (isNextDay ? 1 : 0), hours, Number(minute ?? 0), Number(second))
  const isOther = weekday !== undefined && weekday.day !== new Date(Date.UTC(year, month - 1, day)).getUTCDay()
  return { wall: { text: given, wallMs }, ...time, ...(isOther && { otherWeekday: weekday.name }) }
}

type Day = readonly [year: number, month: number, day: number]

interface WrittenDate {
  /** `undefined` if it has two readings and nothing says which is meant. */
  day: Day | undefined
  order: WrittenTime['order']
  readings: WrittenTime['readings']
  isIso: boolean
  /** How much of the text it is. */
  length: number
}

function dateIn(text: string, said: DayOrder | undefined): WrittenDate | undefined {
  const [whole = '', first = '', separator, second = '', lastPart = ''] = numberDate.exec(text) ?? []
  if (whole !== '') return dateOfNumbers({ whole, first, separator, second, lastPart }, said)
  const iso = yearDate.exec(text)
  const named = iso === null ? namedDate(text) : undefined
  const length = iso?.[0].length ?? named?.length ?? 0
  const day = iso === null ? named?.day : dayOf(iso[1], iso[3], iso[4])
  return day && { day, order: undefined, readings: {}, isIso: iso !== null, length }
}

function dateOfNumbers(
  {
    whole,
    first,
    separator,
    second,
    lastPart,
  }: Record<'whole' | 'first' | 'second' | 'lastPart', string> & { separator: string | undefined },
  said: DayOrder | undefined,
): WrittenDate | undefined {
  const year = lastPart.length === 2 ? `20${lastPart}` : lastPart
  const readings = { day: dayOf(year, second, first), month: dayOf(year, first, second) }
  const isEither = readings.day !== undefined && readings.month !== undefined
  const isSame = isEither && first === second
  const order = isSame ? undefined : isEither ? 'either' : readings.day === undefined ? 'month' : 'day'
  // Slashes are American; `26.11.30` may even begin with its year.
  const presumed =
    said ?? (separator === '/' ? 'month' : lastPart.length === 2 || order === 'either' ? undefined : order)
  if (readings.day === undefined && readings.month === undefined) return undefined
  const day = isSame ? readings.day : presumed === undefined ? undefined : readings[presumed]
  const shown = Object.fromEntries(Object.entries(readings).flatMap(([by, one]) => (one ? [[by, isoDay(one)]] : [])))
  return { day, order, readings: shown, isIso: false, length: whole.length }
}

/** A day that exists. */
function dayOf(year = '', month = '', day = ''): Day | undefined {
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  const exists = date.getUTCMonth() + 1 === Number(month) && date.getUTCDate() === Number(day)
  return exists ? [Number(year), Number(month), Number(day)] : undefined
}

function isoDay([year, month, day]: Day): string {
  return `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
}

function namedDate(text: string): { day: Day | undefined; length: number } | undefined {
  const [whole, name = '', day, year] = monthFirst.exec(text) ?? []
  const [other, ownDay, ownName = '', ownYear] = whole === undefined ? (dayFirst.exec(text) ?? []) : []
  const month = monthNames().get(plainWord(whole === undefined ? ownName : name))
  if (month === undefined) return undefined
  return { day: dayOf(year ?? ownYear, String(month), day ?? ownDay), length: (whole ?? other ?? '').length }
}

/** A text without the weekday before its date: `Monday, 30-Nov-2036`, `Mo., 30.11.2036`. */
function withoutWeekday(text: string): { weekday?: { name: string; day: number }; text: string } {
  const [before, name = ''] = /^(\p{L}{2,12})\.?,? (?=\S)/u.exec(text) ?? []
  if (before === undefined) return { text }
  const day = weekdayNames().get(plainWord(name))
  const rest = text.slice(before.length)
  // `Mar` is a Tuesday in Spain: before a date only.
  if (day === undefined || dateIn(rest, undefined) === undefined) return { text }
  return { weekday: { name, day }, text: rest }
}

/** The languages in which months and weekdays are read; the first goes before the others. */
const languages = ['en-US', 'es', 'de', 'fr', 'it', 'pt', 'nl']
const plainWord = (word: string) => foldedText(word).replace(/\./g, '')

/** Names of the twelve months, or of the seven days from Sunday, in these languages, whole and short. */
function namesOf(part: 'month' | 'weekday', dates: readonly number[], first: number): ReadonlyMap<string, number> {
  const names = new Map<string, number>()
  for (const language of languages)
    for (const form of ['long', 'short'] as const) {
      const format = new Intl.DateTimeFormat(language, { [part]: form, timeZone: 'UTC' })
      for (const [index, date] of dates.entries()) {
        const name = plainWord(format.format(date))
        if (!names.has(name)) names.set(name, index + first)
      }
    }
  return names
}

let months: ReadonlyMap<string, number> | undefined
function monthNames(): ReadonlyMap<string, number> {
  const dates = Array.from({ length: 12 }, (_, month) => Date.UTC(2026, month, 15))
  // English months are shortened in more than one way.
  months ??= new Map([...namesOf('month', dates, 1), ['sept', 9], ['june', 6], ['july', 7]])
  return months
}

let weekdays: ReadonlyMap<string, number> | undefined
function weekdayNames(): ReadonlyMap<string, number> {
  // The first of March 2026 is a Sunday.
  const dates = Array.from({ length: 7 }, (_, day) => Date.UTC(2026, 2, 1 + day))
  weekdays ??= new Map([...namesOf('weekday', dates, 0), ['tues', 2], ['weds', 3], ['thur', 4], ['thurs', 4]])
  return weekdays
}
