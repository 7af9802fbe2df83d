import type { Gate } from '../contract/index.js'
import { paint, type Style } from './style.js'
import { spanText } from './times.js'

/** A period of the week in which a gate is open, in minutes since Monday 00:00 local time. */
interface Opening {
  from: number
  to: number
}

const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
const minutesOfDay = 1_440
const minutesOfWeek = 7 * minutesOfDay

function minutesOf(time: string): number {
  const [hours = '0', minutes = '0'] = time.split(':')
  return Number(hours) * 60 + Number(minutes)
}

/**
 * Parses hours such as `24/7` and `Mon-Fri 05:00-21:00; Sat 05:00-13:00`. The contract defines no format: the result is
 * `undefined` for any other text, which is then shown unchanged.
 */
export function parseHours(hours: string): Opening[] | undefined {
  if (hours.trim() === '24/7') return [{ from: 0, to: minutesOfWeek }]
  const openings: Opening[] = []
  for (const part of hours.split(';').map((text) => text.trim())) {
    // Public holidays are not weekdays: they do not change the hours of the week, which are shown next to the state.
    if (/^PH off$/i.test(part)) continue
    const match =
      /^(daily|(?:mon|tue|wed|thu|fri|sat|sun)(?:-(?:mon|tue|wed|thu|fri|sat|sun))?(?:,\s*\w{3})*)\s+(\d{1,2}:\d{2})-(\d{1,2}:\d{2})$/i.exec(
        part,
      )
    if (match === null) return undefined
    const [, names = '', open = '', close = ''] = match
    for (const day of daysOf(names.toLowerCase())) {
      const from = day * minutesOfDay + minutesOf(open)
      const length = minutesOf(close) - minutesOf(open)
      openings.push({ from, to: from + (length > 0 ? length : length + minutesOfDay) })
    }
  }
  return openings
}

function daysOf(names: string): number[] {
  if (names === 'daily') return [0, 1, 2, 3, 4, 5, 6]
  return names.split(',').flatMap((name) => {
    const [first = '', last = first] = name.trim().split('-')
    const from = days.indexOf(first)
    const to = days.indexOf(last)
    const count = ((to - from + 7) % 7) + 1
    return Array.from({ length: count }, (_, index) => (from + index) % 7)
  })
}

/** Minutes since Monday 00:00 in a time zone; `undefined` for an unknown zone. */
function minuteOfWeek(nowMs: number, timeZone: string): number | undefined {
  try {
    const parts = new Intl.DateTimeFormat('en-US', {
      timeZone,
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    }).formatToParts(nowMs)
    const part = (type: string) => parts.find((candidate) => candidate.type === type)?.value ?? ''
    return (
      days.indexOf(part('weekday').toLowerCase()) * minutesOfDay + Number(part('hour')) * 60 + Number(part('minute'))
    )
  } catch {
    return undefined // an unknown zone: the hours are shown without a state
  }
}

/** The weekday and time of a time zone, such as `Tue 14:05`; empty for an unknown zone. */
export function localTimeText(nowMs: number, timeZone: string): string {
  const minute = minuteOfWeek(nowMs, timeZone)
  if (minute === undefined) return ''
  const name = days[Math.floor(minute / minutesOfDay)] ?? ''
  const two = (value: number) => String(value).padStart(2, '0')
  const time = `${two(Math.floor((minute % minutesOfDay) / 60))}:${two(minute % 60)}`
  return `${name.charAt(0).toUpperCase()}${name.slice(1)} ${time}`
}

/** `open now, closes in 2h` or `opens in 3h 20m`, in the gate's time zone; empty if its hours cannot be parsed. */
export function gateState(gate: Gate, style: Style): string {
  const openings = gate.hours == null ? undefined : parseHours(gate.hours)
  const now = gate.timezone == null ? undefined : minuteOfWeek(style.nowMs, gate.timezone)
  if (openings === undefined || now === undefined) return ''
  const span = (minutes: number) => spanText(minutes * 60_000)
  const left = minutesOpen(openings, now)
  if (left !== undefined)
    return paint(style, 'green', left >= minutesOfWeek ? 'always open' : `open now, closes in ${span(left)}`)
  const waits = openings.map(({ from }) => (from - now + minutesOfWeek) % minutesOfWeek)
  return paint(style, 'yellow', waits.length === 0 ? 'closed' : `opens in ${span(Math.min(...waits))}`)
}

/** How long the gate stays open from a minute of the week on, across adjacent periods; `undefined` if it is closed. */
function minutesOpen(openings: readonly Opening[], now: number): number | undefined {
  let left = 0
  while (left < minutesOfWeek) {
    const rests = openings.map(({ from, to }) => to - from - ((now + left - from + minutesOfWeek) % minutesOfWeek))
    const rest = Math.max(0, ...rests)
    if (rest === 0) break
    left += rest
  }
  return left === 0 ? undefined : left
}
