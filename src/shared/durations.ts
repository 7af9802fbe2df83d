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
