import { UsageError } from '../../contract/index.js'
import { timeSpanMs } from '../../shared/durations.js'

/** Parses `500ms`, `90s`, `5m`, `2h30m`, `3d` or plain seconds into milliseconds. `what` names the flag in an error. */
export function parseDurationMs(text: string, what: string): number {
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text) * 1_000
  const spanMs = timeSpanMs(text)
  if (spanMs === undefined)
    throw new UsageError(`${what} must be a duration such as 90s, 5m or 2h30m, got "${text.slice(0, 40)}".`)
  return spanMs
}

/**
 * Parses a time into RFC 3339 in UTC. Accepts RFC 3339, a date, `now`, `today`, `yesterday` and `tomorrow` (midnight in
 * the user's zone), a duration ago (`2h`, `3d`), a duration ahead (`+30m`, `in 2h`), and Unix time in ten digits, as in
 * `webhook-timestamp`.
 */
export function parseTime(text: string, what: string, nowMs: number, examples = pastExamples): string {
  const word = text.trim()
  const midnight = (days: number) => {
    const day = new Date(nowMs)
    day.setHours(0, 0, 0, 0)
    day.setDate(day.getDate() + days)
    return day.toISOString()
  }
  const named: Readonly<Record<string, () => string>> = {
    now: () => new Date(nowMs).toISOString(),
    today: () => midnight(0),
    yesterday: () => midnight(-1),
    tomorrow: () => midnight(1),
  }
  const known = Object.hasOwn(named, word) ? named[word] : undefined
  if (known !== undefined) return known()
  if (/^\d{10}$/.test(word)) return new Date(Number(word) * 1_000).toISOString()
  if (/^\d{4}-\d{2}-\d{2}(?:[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:[Zz]|[+-]\d{2}:?\d{2})?)?$/.test(word)) {
    const dated = new Date(word.length === 10 ? `${word}T00:00:00` : word.replace(' ', 'T'))
    // `Date` takes 30 February for 2 March.
    const midnightUtc = new Date(`${word.slice(0, 10)}T00:00:00Z`)
    const isInCalendar = midnightUtc.getUTCDate() === Number(word.slice(8, 10))
    if (isInCalendar && !Number.isNaN(dated.getTime())) return dated.toISOString()
  }
  const span = /^(?<ahead>\+|in )?(?<span>(?:\d+(?:\.\d+)?(?:ms|[smhdw]))+)(?: ago)?$/.exec(word)?.groups
  if (span?.span !== undefined) {
    const spanMs = parseDurationMs(span.span, what)
    return new Date(span.ahead === undefined ? nowMs - spanMs : nowMs + spanMs).toISOString()
  }
  throw new UsageError(`${what} must be a time such as ${examples}, got "${text.slice(0, 60)}".`)
}

const pastExamples = '2026-03-02T15:00:00Z, 2h, 3d or yesterday'

/** Whether a time that `parseTime` accepts is relative to the present, such as `2h` or `yesterday`. */
export function isRelativeTime(text: string): boolean {
  return !/^(?:\d{10}$|\d{4}-\d{2}-\d{2})/.test(text.trim())
}

/** The shortest of the given durations in milliseconds, each with its flag; `undefined` if there is none. */
export function limitMs(...spans: readonly (readonly [text: string | undefined, flag: string])[]): number | undefined {
  const given = spans.flatMap(([text, flag]) => (text === undefined ? [] : [parseDurationMs(text, flag)]))
  return given.length === 0 ? undefined : Math.min(...given)
}

/** Parses a whole number of at least `least`, or `off` for no limit. Throws `UsageError`. */
export function parseCountOrOff(text: string, flag: string, least: number): number | 'off' {
  if (text === 'off') return 'off'
  const count = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (count >= least) return count
  throw new UsageError(`${flag} expects off or a whole number of at least ${least}, got "${text.slice(0, 40)}".`)
}
