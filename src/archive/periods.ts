/** A period in milliseconds since the epoch. */
export interface Period {
  fromMs: number
  toMs: number
}

/** Periods that touch or overlap as one, oldest first. */
export function mergedPeriods(periods: readonly Period[]): Period[] {
  const merged: Period[] = []
  for (const { fromMs, toMs } of [...periods].sort((one, other) => one.fromMs - other.fromMs)) {
    const last = merged.at(-1)
    if (last !== undefined && fromMs <= last.toMs) last.toMs = Math.max(last.toMs, toMs)
    else merged.push({ fromMs, toMs })
  }
  return merged
}

/** The parts of a period that merged periods do not cover, oldest first. */
export function gapsIn({ fromMs, toMs }: Period, merged: readonly Period[]): Period[] {
  const gaps: Period[] = []
  let reachedMs = fromMs
  for (const covered of merged) {
    if (covered.fromMs > reachedMs && reachedMs < toMs)
      gaps.push({ fromMs: reachedMs, toMs: Math.min(covered.fromMs, toMs) })
    reachedMs = Math.max(reachedMs, covered.toMs)
  }
  if (reachedMs < toMs) gaps.push({ fromMs: reachedMs, toMs })
  return gaps
}
