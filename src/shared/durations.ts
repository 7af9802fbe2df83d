/** The longest delay of a timer, in milliseconds; Node fires a longer one immediately. */
export const longestDelayMs = 2_147_483_647

/** A second in milliseconds. */
export const secondMs = 1_000
/** A minute in milliseconds. */
export const minuteMs = 60_000
/** An hour in milliseconds. */
export const hourMs = 3_600_000
/** A day in milliseconds. */
export const dayMs = 86_400_000

const unitsMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: secondMs,
  m: minuteMs,
  h: hourMs,
  d: dayMs,
  w: 7 * dayMs,
}

/**
 * Parses a duration such as `500ms`, `90s`, `2h30m` or `3d` into whole milliseconds; `undefined` if it is not a
 * duration.
 */
export function timeSpanMs(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|[smhdw]))+$/.test(text)) return undefined
  const parts = text.matchAll(/(?<amount>\d+(?:\.\d+)?)(?<unit>ms|[smhdw])/g)
  const totalMs = Math.round([...parts].reduce((sum, { groups }) => sum + spanOf(groups), 0))
  return Number.isSafeInteger(totalMs) ? totalMs : undefined
}

function spanOf({ amount = '', unit = '' }: Record<string, string> = {}): number {
  return Number(amount) * (unitsMs[unit] ?? Number.NaN)
}

/** Spans of time in words, from milliseconds: one form for each place that they stand in. */

const units = [
  ['d', dayMs],
  ['h', hourMs],
  ['m', minuteMs],
  ['s', secondMs],
] as const

/** In lists and sentences of a terminal, the two largest units: `3d 4h`, `2h 5m`, `45s`, and `320ms` below a second. */
export function spanText(spanMs: number): string {
  const span = Math.abs(spanMs)
  if (span < secondMs) return `${Math.round(span)}ms`
  const first = units.findIndex(([, size]) => span >= size)
  const [unit, size] = units[first] ?? units[3]
  const whole = Math.floor(span / size)
  const next = units[first + 1]
  const rest = next === undefined ? 0 : Math.floor((span - whole * size) / next[1])
  return next === undefined || rest === 0 ? `${whole}${unit}` : `${whole}${unit} ${rest}${next[0]}`
}

/** In a column of four characters, the largest unit alone: `45s`, `12m`, `3h`, `2d`. */
export function narrowSpan(spanMs: number): string {
  const [whole = ''] = spanText(Math.max(secondMs, spanMs)).split(' ')
  return whole
}

/** On the page, rounded to the minute from one on: `45s`, `12m`, `3h 5m`, `2d 4h`. */
export function roundedSpan(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / secondMs)
  if (seconds < 60) return `${seconds}s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 60) return `${minutes}m`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return minutes % 60 === 0 ? `${hours}h` : `${hours}h ${minutes % 60}m`
  const days = Math.floor(hours / 24)
  return hours % 24 === 0 ? `${days}d` : `${days}d ${hours % 24}h`
}

/** In an error: `850 ms`, `30 s`, `5 min`, `1 h 20 min`. */
export function spacedSpan(spanMs: number): string {
  if (spanMs < secondMs) return `${Math.round(spanMs)} ms`
  const seconds = Math.round(spanMs / secondMs)
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 120) return `${minutes} min`
  const rest = minutes % 60
  return rest === 0 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 60)} h ${rest} min`
}

/** The units of a problem's span: up to which span, in milliseconds, and the unit itself. */
export const problemUnits = [
  { belowMs: 2 * hourMs, unitMs: minuteMs, word: 'min' },
  { belowMs: 2 * dayMs, unitMs: hourMs, word: 'h' },
  { belowMs: Number.POSITIVE_INFINITY, unitMs: dayMs, word: 'd' },
] as const

/** In a problem: `97 min`, `3 h` from two hours on, `2 d` from two days on. */
export function problemSpan(ms: number): string {
  const { unitMs, word } = problemUnits.find(({ belowMs }) => ms < belowMs) ?? problemUnits[2]
  return `${Math.floor(ms / unitMs)} ${word}`
}

/** In prose, by the same steps: `12 minutes`, `3 hours`, `2 days`. */
export function wordedSpan(ms: number): string {
  const minutes = Math.floor(ms / minuteMs)
  if (minutes < 120) return counted(minutes, 'minute')
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? counted(hours, 'hour') : counted(Math.floor(hours / 24), 'day')
}

function counted(number: number, unit: string): string {
  return `${number} ${unit}${number === 1 ? '' : 's'}`
}
