import { UsageError } from '../contract/index.js'
import { valueAt } from '../render/view.js'
import { isRecord } from '../shared/json.js'
import { MetricsTally } from './metrics.js'
import { MoneyTally } from './money.js'
import type { Report } from './report.js'

/** A bound on a figure of a report, such as `onTime<0.95`. */
interface Bound {
  text: string
  path: string
  operator: '<' | '<=' | '>' | '>='
  limit: number
}

/** The figures of a report of nothing, by which a bound is checked before anything is read. */
const noFigures = { deliveries: 0, metrics: new MetricsTally({}).metrics(), money: new MoneyTally().money() }

/**
 * Reads a bound `PATH<N`, with `<`, `<=`, `>` or `>=`.
 *
 * @throws UsageError if it is not a bound, or does not name a figure of a report
 */
export function parseBound(text: string): Bound {
  const parts = /^\s*(?<path>[A-Za-z][\w.]*)\s*(?<operator><=|>=|<|>)\s*(?<limit>-?\d+(?:\.\d+)?)\s*$/.exec(
    text,
  )?.groups
  if (parts === undefined)
    throw new UsageError(`--fail-if "${text}" is not a bound.`, {
      hint: 'Write PATH<N, such as onTime<0.95 or timeToAssign.p90>600.',
    })
  const bound: Bound = {
    text: text.trim(),
    path: parts.path ?? '',
    operator: parts.operator as Bound['operator'],
    limit: Number(parts.limit),
  }
  figureOf(bound, noFigures)
  return bound
}

/** Whether a report is outside a bound; `undefined` if the figure could not be computed. */
export function isBroken(bound: Bound, report: Report): boolean | undefined {
  const figure = figureOf(bound, report)
  if (figure === null) return undefined
  switch (bound.operator) {
    case '<':
      return figure < bound.limit
    case '<=':
      return figure <= bound.limit
    case '>':
      return figure > bound.limit
    case '>=':
      return figure >= bound.limit
  }
}

/** Why a figure of a report has no value. */
export function withoutValue({ deliveries, leftOut }: Report): string {
  if (deliveries === 0) return 'the period has no deliveries'
  const reasons = leftOut.map(({ count, why }) => `${count} ${why}`)
  return ['no delivery of the period has that figure', ...reasons].join('; ')
}

/** The figure that a bound is about, also without `metrics` or `money` before it; a share by only its name means its `value`. */
function figureOf({ path, text }: Bound, { deliveries, metrics, money }: typeof noFigures): number | null {
  for (const root of [metrics, money, { deliveries, metrics, money }]) {
    const found = valueAt(root, path)
    const figure = isRecord(found) && 'value' in found ? found.value : found
    if (typeof figure === 'number' || figure === null) return figure
  }
  const amounts = Object.keys(money).filter((name) => name !== 'currency')
  const figures = ['deliveries', ...Object.keys(metrics), ...amounts]
  throw new UsageError(`--fail-if "${text}" names no figure of the report.`, {
    hint: `Figures are ${figures.join(', ')}; durations need .p50, .p90, .p95 or .n.`,
  })
}
