/** A timer's longest delay, in milliseconds; beyond it Node fires at once. */
export const longestDelayMs = 2_147_483_647

export const secondMs = 1_000
export const minuteMs = 60_000
export const hourMs = 3_600_000
export const dayMs = 86_400_000

const unitsMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: secondMs,
  m: minuteMs,
  h: hourMs,
  d: dayMs,
  w: 7 * dayMs,
}

/** Reads a span of time such as `500ms`, `90s`, `2h30m` or `3d` as whole milliseconds; `undefined` where it is none. */
export function timeSpanMs(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|[smhdw]))+$/.test(text)) return undefined
  const parts = text.matchAll(/(?<amount>\d+(?:\.\d+)?)(?<unit>ms|[smhdw])/g)
  const totalMs = Math.round([...parts].reduce((sum, { groups }) => sum + spanOf(groups), 0))
  return Number.isSafeInteger(totalMs) ? totalMs : undefined
}

function spanOf({ amount = '', unit = '' }: Record<string, string> = {}): number {
  return Number(amount) * (unitsMs[unit] ?? Number.NaN)
}
