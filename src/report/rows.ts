import type { PromiseSource } from '../trade/promise.js'
import type { Metrics, Percentiles } from './metrics.js'
import type { FurthestCount } from './reasons.js'
import type { Report } from './report.js'

/** A figure as one line of a table: durations in seconds, to the millisecond; shares from 0 to 1; money in cents. */
interface MetricRow {
  /** `deliveries`, a metric, `money.` with a name, or `reasons.` with a code. */
  metric: string
  /** The group, with `--by`; money and reasons are of `(all)`. */
  key?: string | null
  value: number | null
  p50: number | null
  p90: number | null
  p95: number | null
  n: number
  /** The same figure of the period before: the p50 of durations, the value of shares. */
  before: number | null
}

/** The key of figures that are of the whole, beside those of groups. */
const wholeKey = '(all)'

export const durationMetrics = [
  'timeToAssign',
  'toStore',
  'pickupDwell',
  'drive',
  'doorTime',
  'clickToDoor',
  'etaError',
] as const satisfies readonly (keyof Metrics)[]

export const shareMetrics = [
  'onTime',
  'completion',
  'returns',
  'dispatchTrouble',
  'proof',
] as const satisfies readonly (keyof Metrics)[]

/** The last statuses reached by deliveries that did not end well, in words: `35 failed after driver_at_dropoff, …`. */
export function furthestText(furthest: readonly FurthestCount[]): string {
  return furthest
    .map(({ outcome, status, count }) =>
      status === 'none' ? `${count} ${outcome} before acceptance` : `${count} ${outcome} after ${status}`,
    )
    .join(', ')
}

/** A share in percent; `none` if there is none. */
export function percentText(value: number | null, none: string): string {
  return value === null ? none : `${(value * 100).toFixed(1)} %`
}

/** The change of a share in percentage points; empty if one of them is missing. */
export function pointsText(now: number | null, then: number | null | undefined): string {
  if (now === null || then === null || then === undefined) return ''
  return `${now >= then ? '+' : ''}${((now - then) * 100).toFixed(1)} pp`
}

/** The sources of promises, in words. */
export const promiseLabels: Readonly<Record<PromiseSource, string>> = {
  file: 'promise file',
  quote: 'quote',
  sla: 'SLA',
  window: 'window',
  firstEta: 'first ETA, weak',
  none: '',
}

/** Metrics in the words that people read. */
export const metricLabels: Readonly<Record<keyof Metrics, string>> = {
  timeToAssign: 'Time to assign',
  toStore: 'To the store',
  pickupDwell: 'Dwell at the store',
  drive: 'Drive',
  doorTime: 'At the door',
  clickToDoor: 'Click to door',
  etaError: 'ETA error',
  onTime: 'On time',
  completion: 'Completion',
  returns: 'Returned of failed',
  dispatchTrouble: 'Dispatch trouble',
  proof: 'Required proof',
}

/** The figures of a report as rows: counts and metrics of the whole, or of each group; money and reasons of the whole. */
export function metricRows(report: Report): MetricRow[] {
  const { by, money, reasons, metrics } = report
  const unhappy = reasons.reduce((sum, { count }) => sum + count, 0)
  const delivered = Math.round((metrics.completion.value ?? 0) * metrics.completion.n)
  const ofAll = ({ metric, ...row }: MetricRow) =>
    by === undefined ? { metric, ...row } : { metric, key: wholeKey, ...row }
  return [
    ...(by === undefined
      ? rowsOf(report, report.before ?? undefined)
      : by.flatMap((group) =>
          rowsOf(group, undefined).map(({ metric, ...row }) => ({ metric, key: group.key, ...row })),
        )),
    ...Object.entries(money).flatMap(([name, value]) =>
      typeof value === 'string'
        ? []
        : [ofAll(valueRow(`money.${name}`, value, name === 'wasteCents' ? unhappy : delivered))],
    ),
    ...reasons.map(({ code, count }) => ofAll(valueRow(`reasons.${code ?? 'none'}`, count, unhappy))),
  ]
}

function valueRow(metric: string, value: number | null, n: number, before: number | null = null): MetricRow {
  return { metric, value, p50: null, p90: null, p95: null, n, before }
}

type Counted = Pick<Report, 'deliveries' | 'metrics'>

function rowsOf({ metrics, deliveries }: Counted, previous: Counted | undefined): MetricRow[] {
  const before = previous?.metrics
  return [
    valueRow('deliveries', deliveries, deliveries, previous?.deliveries ?? null),
    ...durationMetrics.map((metric) => durationRow(metric, metrics[metric], before?.[metric])),
    ...shareMetrics.map((metric) =>
      valueRow(metric, metrics[metric].value, metrics[metric].n, before?.[metric].value ?? null),
    ),
  ]
}

function durationRow(metric: string, { p50, p90, p95, n }: Percentiles, before: Percentiles | undefined): MetricRow {
  const rounded = { p50: toMillisecond(p50), p90: toMillisecond(p90), p95: toMillisecond(p95) }
  return { metric, value: null, ...rounded, n, before: toMillisecond(before?.p50 ?? null) }
}

function toMillisecond(seconds: number | null): number | null {
  return seconds === null ? null : Math.round(seconds * 1_000) / 1_000
}
