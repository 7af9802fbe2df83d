import {
  lateByMs,
  type PromisedTime,
  type PromiseRules,
  type PromiseSource,
  promiseOf,
  promiseSources,
} from '../trade/promise.js'
import type { DeliveryHistory } from './delivery-history.js'
import { errorPercentilesOf, type Percentiles, percentilesOf } from './percentiles.js'

/** A part of `n`, from 0 to 1; `null` if `n` is 0. */
export interface Share {
  value: number | null
  n: number
}

/** The metrics of a set of deliveries. Durations are seconds; those up to `doorTime` are figures of each delivery. */
export interface Metrics {
  timeToAssign: Percentiles
  toStore: Percentiles
  pickupDwell: Percentiles
  drive: Percentiles
  doorTime: Percentiles
  /** From `accepted`, or from the start of the window of a scheduled order if that is known, to `delivered`. */
  clickToDoor: Percentiles
  /** `delivered` less the first ETA: p50 with its sign, p90 and p95 absolute. */
  etaError: Percentiles
  /** Delivered by the promise with five minutes of grace, over those delivered that have one. */
  onTime: Share & { promise: PromiseSource }
  /** Delivered over all that have ended. */
  completion: Share
  /** Returned over failed, and the time that a return took. */
  returns: Share & { time: Percentiles }
  /** With `dispatch_failed` or `reassigning` over all, and how long the next assignment took. */
  dispatchTrouble: Share & { recovery: Percentiles }
  /** Delivered with every proof that the verification requires over delivered. */
  proof: Share
}

/** Deliveries that a metric could not judge. */
const leftOutReasons = {
  neverAccepted: 'never accepted',
  underWay: 'still under way',
  noPromise: 'delivered without a promise',
  noEta: 'delivered without an ETA',
  noWindow: 'scheduled without a known window',
} as const

/** Something that a metric could not judge: why, and how many deliveries. */
export interface LeftOut {
  name: keyof typeof leftOutReasons
  /** In words. */
  why: string
  count: number
}

/** Computes all metrics, and counts what could not be judged. */
export function metricsOf(
  histories: readonly DeliveryHistory[],
  rules: PromiseRules,
): { metrics: Metrics; leftOut: LeftOut[] } {
  const gaps = new Map<LeftOut['name'], number>()
  const leaveOut = (name: LeftOut['name']) => gaps.set(name, (gaps.get(name) ?? 0) + 1)
  const ended = histories.filter(({ outcome }) => outcome !== 'active')
  const delivered = histories.filter(({ outcome }) => outcome === 'delivered')
  const failed = histories.filter(({ outcome }) => outcome === 'failed')
  const promises = delivered.map((history) => promisedTo(history, rules))

  const metrics: Metrics = {
    timeToAssign: spansOf(histories, ({ timeToAssignMs }) => timeToAssignMs),
    toStore: spansOf(histories, ({ toStoreMs }) => toStoreMs),
    pickupDwell: spansOf(histories, ({ pickupDwellMs }) => pickupDwellMs),
    drive: spansOf(histories, ({ driveMs }) => driveMs),
    doorTime: spansOf(histories, ({ doorTimeMs }) => doorTimeMs),
    clickToDoor: spansOf(delivered, (history) => clickToDoorMs(history, rules)),
    etaError: errorPercentilesOf(spans(delivered, etaErrorMs)),
    onTime: onTimeOf(delivered, promises),
    completion: shareOf(ended, ({ outcome }) => outcome === 'delivered'),
    returns: {
      ...shareOf(failed, ({ returnMs }) => returnMs !== undefined),
      time: spansOf(failed, ({ returnMs }) => returnMs),
    },
    dispatchTrouble: {
      ...shareOf(histories, ({ hadDispatchTrouble }) => hadDispatchTrouble),
      recovery: spansOf(histories, ({ recoveryMs }) => recoveryMs),
    },
    proof: shareOf(delivered, hasRequiredProof),
  }
  for (const { outcome, acceptedMs } of histories) {
    if (acceptedMs === undefined && outcome !== 'active') leaveOut('neverAccepted')
    if (outcome === 'active') leaveOut('underWay')
  }
  for (const [index, history] of delivered.entries()) {
    if (promises[index] === undefined) leaveOut('noPromise')
    if (history.firstEtaMs === undefined) leaveOut('noEta')
    if (history.isScheduled && windowStartOf(history, rules) === undefined) leaveOut('noWindow')
  }
  return { metrics, leftOut: [...gaps].map(([name, count]) => ({ name, why: leftOutReasons[name], count })) }
}

type SpanOf = (history: DeliveryHistory) => number | undefined

function spans(histories: readonly DeliveryHistory[], spanOf: SpanOf): number[] {
  const found: number[] = []
  for (const history of histories) {
    const span = spanOf(history)
    if (span !== undefined) found.push(span)
  }
  return found
}

function spansOf(histories: readonly DeliveryHistory[], spanOf: SpanOf): Percentiles {
  return percentilesOf(spans(histories, spanOf))
}

function shareOf(all: readonly DeliveryHistory[], counts: (history: DeliveryHistory) => boolean): Share {
  return { value: all.length === 0 ? null : all.filter(counts).length / all.length, n: all.length }
}

/** A scheduled order waits for its window: without a known one nothing can be said. */
function clickToDoorMs(history: DeliveryHistory, rules: PromiseRules): number | undefined {
  const { isScheduled, acceptedMs, deliveredMs } = history
  return between(windowStartOf(history, rules) ?? (isScheduled ? undefined : acceptedMs), deliveredMs)
}

function windowStartOf({ windowStartMs, latest }: DeliveryHistory, { windows }: PromiseRules): number | undefined {
  return windowStartMs ?? windows?.get(latest.clientOrderReference ?? '')?.startMs
}

function promisedTo(history: DeliveryHistory, rules: PromiseRules): PromisedTime | undefined {
  const { startedMs, firstEtaMs, windowEndMs, latest } = history
  return promiseOf({ reference: latest.clientOrderReference, acceptedMs: startedMs, windowEndMs, firstEtaMs }, rules)
}

function etaErrorMs({ firstEtaMs, deliveredMs }: DeliveryHistory): number | undefined {
  return between(firstEtaMs, deliveredMs)
}

function between(fromMs: number | undefined, toMs: number | undefined): number | undefined {
  return fromMs === undefined || toMs === undefined ? undefined : toMs - fromMs
}

function onTimeOf(
  delivered: readonly DeliveryHistory[],
  promises: readonly (PromisedTime | undefined)[],
): Metrics['onTime'] {
  const sources = new Set<PromiseSource>()
  let [n, onTime] = [0, 0]
  for (const [index, { deliveredMs }] of delivered.entries()) {
    const promise = promises[index]
    if (promise === undefined || deliveredMs === undefined) continue
    n++
    if (lateByMs(promise.promisedByMs, deliveredMs) === 0) onTime++
    sources.add(promise.source)
  }
  // The weakest of the sources that were used.
  const promise = promiseSources.findLast((source) => sources.has(source)) ?? 'none'
  return { value: n === 0 ? null : onTime / n, n, promise }
}

function hasRequiredProof({ latest }: DeliveryHistory): boolean {
  return (latest.requiredProofs ?? []).every((type) => latest.proofs?.includes(type))
}
