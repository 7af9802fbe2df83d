const unitMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

/** Reads `25h`, `1h30m` or `90s` as milliseconds; `undefined` where the text is no duration. */
export function parseDurationMs(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|[smhdw]))+$/.test(text)) return undefined
  let totalMs = 0
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhdw])/g)) {
    totalMs += Number(amount) * (unitMs[unit ?? ''] ?? Number.NaN)
  }
  return Number.isSafeInteger(Math.round(totalMs)) ? Math.round(totalMs) : undefined
}
