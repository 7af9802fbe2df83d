import type { MeasuredRow, Result } from './result.ts'

/** A ratio that became worse since the last release, with both figures. */
export interface Slowdown {
  aim: string
  before: number
  now: number
}

/**
 * Ratios that are slower than those of the last release by more than noise: the middle halves of the pairs of both runs do
 * not overlap. Where a run kept no pairs, its median stands for them.
 */
export function slowdowns(now: Record<string, MeasuredRow>, released: Record<string, MeasuredRow>): Slowdown[] {
  const before = new Map(resultsOf(released).map((result) => [result.id, result]))
  return resultsOf(now).flatMap((result) => {
    const old = before.get(result.id)
    if (result.faster === undefined || old?.values.ratio === undefined || result.values.ratio === undefined) return []
    const [mine, theirs] = [rangeOf(result), rangeOf(old)]
    const isSlower = result.faster === 'larger' ? mine.high < theirs.low : mine.low > theirs.high
    return isSlower ? [{ aim: result.aim, before: old.values.ratio, now: result.values.ratio }] : []
  })
}

function resultsOf(rows: Record<string, MeasuredRow>): Result[] {
  return Object.values(rows).flatMap(({ results }) => results)
}

function rangeOf({ values }: Result): { low: number; high: number } {
  const { ratio = Number.NaN, low = ratio, high = ratio } = values
  return { low, high }
}
