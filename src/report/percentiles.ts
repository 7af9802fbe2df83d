/** Percentiles of a set of durations, in seconds; `null` if the set is empty. */
export interface Percentiles {
  p50: number | null
  p90: number | null
  p95: number | null
  n: number
}

/**
 * Percentile `p` (0 to 1) of ascending values. It stands at position p·(n−1), counted from 0, and is interpolated
 * linearly between the two ranks beside it.
 */
export function percentile(ascending: ArrayLike<number>, p: number): number | null {
  const position = p * (ascending.length - 1)
  const low = ascending[Math.floor(position)]
  const high = ascending[Math.ceil(position)]
  if (low === undefined || high === undefined) return null
  return low + (high - low) * (position - Math.floor(position))
}

/** Percentiles in seconds of durations in milliseconds. */
export function percentilesOf(durationsMs: readonly number[]): Percentiles {
  const ascending = new Float64Array(durationsMs.length)
  for (let index = 0; index < ascending.length; index++) ascending[index] = (durationsMs[index] ?? 0) / 1_000
  ascending.sort()
  return {
    p50: percentile(ascending, 0.5),
    p90: percentile(ascending, 0.9),
    p95: percentile(ascending, 0.95),
    n: ascending.length,
  }
}

/** Percentiles of errors that have a sign: p50 keeps it, p90 and p95 are of the absolute values. */
export function errorPercentilesOf(errorsMs: readonly number[]): Percentiles {
  const absolute = percentilesOf(errorsMs.map(Math.abs))
  return { ...absolute, p50: percentilesOf(errorsMs).p50 }
}
