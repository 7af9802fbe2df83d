import type { Metrics } from './metrics.js'
import type { Percentiles } from './percentiles.js'
import type { PromiseSource } from './promise.js'
import type { FurthestCount } from './reasons.js'
import type { Report } from './report.js'

/** A metric as one line of a table: durations in seconds, to the millisecond; shares from 0 to 1. */
export interface MetricRow {
  metric: string
  /** The group, with `--by`. */
  key?: string | null
  value: number | null
  p50: number | null
  p90: number | null
  p95: number | null
  n: number
  /** The same figure of the period before: the p50 of durations, the value of shares. */
  before: number | null
}

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

/** How far deliveries came that did not end well, in words: `35 failed after driver_at_dropoff, …`. */
export function furthestText(furthest: readonly FurthestCount[]): string {
  return furthest
    .map(({ outcome, status, count }) =>
      status === 'none' ? `${count} ${outcome} before acceptance` : `${count} ${outcome} after ${status}`,
    )
    .join(', ')
}

/** Where promises came from, in words. */
export const promiseLabels: Readonly<Record<PromiseSource, string>> = {
  file: 'promise file',
  quote: 'quote',
  sla: 'SLA',
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

/** The metrics of a report as rows: of the whole, or of each group if it has any. */
export function metricRows(report: Report): MetricRow[] {
  if (report.by === undefined) return rowsOf(report.metrics, report.before?.metrics)
  return report.by.flatMap(({ key, metrics }) =>
    rowsOf(metrics, undefined).map(({ metric, ...row }) => ({ metric, key, ...row })),
  )
}

function rowsOf(metrics: Metrics, before: Metrics | undefined): MetricRow[] {
  return [
    ...durationMetrics.map((metric) => durationRow(metric, metrics[metric], before?.[metric])),
    ...shareMetrics.map((metric) => ({
      metric,
      value: metrics[metric].value,
      p50: null,
      p90: null,
      p95: null,
      n: metrics[metric].n,
      before: before?.[metric].value ?? null,
    })),
  ]
}

function durationRow(metric: string, { p50, p90, p95, n }: Percentiles, before: Percentiles | undefined): MetricRow {
  const rounded = { p50: toMillisecond(p50), p90: toMillisecond(p90), p95: toMillisecond(p95) }
  return { metric, value: null, ...rounded, n, before: toMillisecond(before?.p50 ?? null) }
}

function toMillisecond(seconds: number | null): number | null {
  return seconds === null ? null : Math.round(seconds * 1_000) / 1_000
}
