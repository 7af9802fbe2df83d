/** A timer's longest delay, in milliseconds; beyond it Node fires at once. */
export const longestDelayMs = 2_147_483_647

const unitsMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
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
