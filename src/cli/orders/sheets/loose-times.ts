import { windowIn } from '../../../contract/index.js'
import { valueAt } from '../../../render/view.js'
import { dayMs, hourMs } from '../../../shared/durations.js'
import { isRecord } from '../../../shared/json.js'
import { timePaths } from './sheet-evidence.js'
import { type DayOrder, writtenTimeOf } from './written-time.js'

/** How far ahead the next day without a year may be: what is further away was rather in the past. */
const aheadMs = 180 * dayMs
/** Nowhere in the country is it earlier than this behind UTC. */
const latestZoneMs = 10 * hourMs

const weekdayNames = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const monthNames = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const weekday = /^(sun|mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?)(?:day)?\.?,? +(?=\S)/i
/** `30-Nov`, `30 Nov.`, `Nov 30th`, `11/30`, each before a time and without a year. */
const ownDay = /^(\d{1,2})(?:[ -]|\. ?)(\p{L}{3,12})\.?(,? +|, *)(?=\D{0,4}\d|\D)(?!\d{4}\b)/u
const ownMonth = /^(\p{L}{3,12})\.? (\d{1,2})(?:st|nd|rd|th)?(,? +|, *)(?!\d{4}\b)/u
const numbers = /^(\d{1,2})\/(\d{1,2})(,? +|, *)(?=\S)/

/**
 * The same time with its whole date, if it lacks the year or names only a weekday, and only one day can be meant:
 * `30-Nov 17:00`, `Mon 5 PM`.
 */
export function datedText(text: string, nowMs: number, said: DayOrder | undefined): string | undefined {
  const bare = text.trim().replace(/\s+/g, ' ')
  const [whole, name] = weekday.exec(bare) ?? []
  const rest = bare.slice(whole?.length ?? 0)
  if (writtenTimeOf(rest) !== undefined) return undefined
  const withYear = yearedText(rest, nowMs, said)
  if (withYear !== undefined) return whole === undefined ? withYear : `${whole.trim()} ${withYear}`
  if (whole === undefined || name === undefined) return undefined
  const day = nextWeekday(weekdayNames.indexOf(name.slice(0, 3).toLowerCase()), nowMs)
  return day === undefined ? undefined : `${day} ${rest}`
}

function yearedText(text: string, nowMs: number, said: DayOrder | undefined): string | undefined {
  const dated = (begin: string, rest: string) => {
    const year = new Date(nowMs).getUTCFullYear()
    return [year, year + 1]
      .map((each) => `${begin.replace('YYYY', String(each))} ${rest}`)
      .find((each) => {
        const time = writtenTimeOf(each, said)?.wall
        return time !== undefined && isAhead(time.wallMs, nowMs)
      })
  }
  const [whole, day, month] = ownDay.exec(text) ?? []
  if (whole !== undefined) return dated(`${day} ${month} YYYY`, text.slice(whole.length))
  const [other, named, ofMonth] = ownMonth.exec(text) ?? []
  if (other !== undefined) return dated(`${named} ${ofMonth} YYYY`, text.slice(other.length))
  const [slashed, first, second] = numbers.exec(text) ?? []
  // `1/7` may be another day in the next file: a year would not tell which.
  const isPlain = said !== undefined || Number(second) > 12
  return slashed === undefined || !isPlain ? undefined : dated(`${first}/${second}/YYYY`, text.slice(slashed.length))
}

function isAhead(wallMs: number, nowMs: number): boolean {
  return wallMs > nowMs - latestZoneMs - dayMs && wallMs < nowMs + aheadMs
}

/** The next such day as `Nov 30 2026`; `undefined` if it may be today, where today may be that day or a week later. */
function nextWeekday(day: number, nowMs: number): string | undefined {
  const todays = [nowMs - latestZoneMs, nowMs].map((ms) => new Date(ms).getUTCDay())
  if (day < 0 || todays.includes(day)) return undefined
  const days = (day - new Date(nowMs).getUTCDay() + 7) % 7
  const date = new Date(nowMs + days * dayMs)
  return `${monthNames[date.getUTCMonth()]} ${date.getUTCDate()} ${date.getUTCFullYear()}`
}

const asap = /^(?:a\.?s\.?a\.?p\.?|as soon as possible|now|immediately|right away|sofort)!?$/i

/** An order whose window says that it is for now, as `--window asap` does. */
export function withAsap(order: unknown): unknown {
  if (!isRecord(order)) return order
  const { timeWindows } = order
  if (!isRecord(timeWindows)) return order
  const said = timePaths.filter((path) => asap.test(String(valueAt(order, path) ?? '').trim()))
  const mode = timeWindows.deliveryMode
  const isFree = mode === undefined || mode === null || mode === '' || String(mode).toLowerCase() === 'asap'
  // A time beside it says something else.
  const isWhole = timePaths.every((path) => said.includes(path) || (valueAt(order, path) ?? '') === '')
  if (said.length === 0 || !isFree || !isWhole) return order
  const { pickup: _, dropoff: __, ...others } = timeWindows
  return { ...order, timeWindows: { ...others, deliveryMode: 'asap' } }
}

const window = '11/30/2026 3:00 PM - 5:00 PM'

/** How to write what was no time. */
export function timeHint(text: string, said: DayOrder | undefined): string {
  const bare = text.trim()
  const isTime = (given: string) => writtenTimeOf(given, said) !== undefined
  const { start, end } = windowIn(`1/1/2036 ${bare}`)
  if (isTime(start) && (end === undefined || isTime(end)))
    return `It has no date: write ${window}, or join its column with that of the date: --map "Date+Time=timeWindows.dropoff".`
  if (isTime(`${bare} 15:00`))
    return `It has no time of day: write ${window}, or join its column with that of the time: --map "Date+Time=timeWindows.dropoff".`
  if (asap.test(bare))
    return 'Leave the other end of the window, and deliveryMode, blank for an order that goes out now.'
  if (/^(?:today|tomorrow|tonight)\b/i.test(bare) || weekday.test(bare)) return `Write its date, such as ${window}.`
  if (/\bmidnight\b/i.test(bare)) return 'Write 12:00 AM for the beginning of the day, 24:00 for its end.'
  if (/\b(?:after|from|before|by|until|till|around|about|earliest|latest|ab|bis|nach|vor)\b/i.test(bare))
    return `It is not a window: write both ends, such as ${window}.`
  if (/\b(?:morning|afternoon|evening|night|tonight|lunch|dinner|breakfast|noonish|anytime|any time)\b/i.test(bare))
    return `Write its hours, such as ${window}.`
  if (ownDay.test(bare) || ownMonth.test(bare) || numbers.test(bare)) return `Write its year, such as ${window}.`
  return `Write it as ${window}.`
}
