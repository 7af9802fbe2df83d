import { minuteMs } from '../shared/durations.js'
import { isRecord, textAt } from '../shared/json.js'

/** The sources of a delivery's promise, strongest first; `firstEta` is used if there is no promise. */
export const promiseSources = ['file', 'quote', 'sla', 'window', 'firstEta', 'none'] as const
export type PromiseSource = (typeof promiseSources)[number]

/** Words before a promised time, such as `first ETA 04:20`. */
export const promisedWords: Readonly<Record<PromiseSource, string>> = {
  file: 'promised by',
  quote: 'quoted for',
  sla: 'SLA until',
  window: 'window until',
  firstEta: 'first ETA',
  none: '',
}

/** A time window of an order, in milliseconds since the epoch. */
export interface OrderWindow {
  /** Milliseconds since the epoch. */
  startMs?: number | undefined
  /** Milliseconds since the epoch. */
  endMs?: number | undefined
}

/**
 * The window that the `timeWindows` of a request ask for, in RFC 3339: that of the dropoff, from the start of the pickup's
 * if it has no start; `undefined` if there is none.
 */
export function requestedWindow(
  timeWindows: unknown,
): { start?: string | undefined; end?: string | undefined } | undefined {
  if (!isRecord(timeWindows) || timeWindows.deliveryMode === 'asap') return undefined
  const { pickup, dropoff } = timeWindows
  const start = textAt(dropoff, 'start') ?? textAt(pickup, 'start')
  const end = textAt(dropoff, 'end')
  return start === undefined && end === undefined ? undefined : { start, end }
}

/** Promises that the service does not report. */
export interface PromiseRules {
  /** The promised time by the order's reference, in milliseconds since the epoch. */
  file?: ReadonlyMap<string, number> | undefined
  /** The `dropoffEta` of the quote that an order was created with, by the order's reference. */
  quotes?: ReadonlyMap<string, number> | undefined
  /** The window that an order was created with, by the order's reference: the service does not return it. */
  windows?: ReadonlyMap<string, OrderWindow> | undefined
  /** Milliseconds from acceptance. */
  slaMs?: number | undefined
}

/** The facts of an order that its promise is looked up by. */
interface PromisedOrder {
  reference?: string | undefined
  acceptedMs?: number | undefined
  /** The end of its window, if the service says it. */
  windowEndMs?: number | undefined
  firstEtaMs?: number | undefined
}

export interface PromisedTime {
  promisedByMs: number
  source: PromiseSource
}

/** A delivery is late if it is this much past its promise, or past its first ETA if it has none. */
export const graceMs = 5 * minuteMs

/** Lateness in one sentence, for help and pages. */
export const lateMeans =
  'Late means more than five minutes past the promise (file, quote, SLA, end of the window), or past the first ETA if there is none.'

/** The first promise that an order has, in the order of `promiseSources`. */
export function promiseOf(order: PromisedOrder, rules: PromiseRules = {}): PromisedTime | undefined {
  const { reference = '', acceptedMs, firstEtaMs } = order
  const windowEndMs = order.windowEndMs ?? rules.windows?.get(reference)?.endMs
  const slaMs = rules.slaMs === undefined || acceptedMs === undefined ? undefined : acceptedMs + rules.slaMs
  return (
    promised(rules.file?.get(reference), 'file') ??
    promised(rules.quotes?.get(reference), 'quote') ??
    promised(slaMs, 'sla') ??
    promised(windowEndMs, 'window') ??
    promised(firstEtaMs, 'firstEta')
  )
}

function promised(promisedByMs: number | undefined, source: PromiseSource): PromisedTime | undefined {
  return promisedByMs === undefined ? undefined : { promisedByMs, source }
}

/** The delay of a moment after a promise, in milliseconds; 0 within the grace period. */
export function lateByMs(promisedByMs: number, atMs: number): number {
  return atMs - promisedByMs > graceMs ? atMs - promisedByMs : 0
}

/** A time in milliseconds since the epoch; `undefined` if there is none, or no valid one. */
export function timeMsOf(time: string | null | undefined): number | undefined {
  const atMs = Date.parse(time ?? '')
  return Number.isNaN(atMs) ? undefined : atMs
}
