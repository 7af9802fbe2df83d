import { between } from '../trade/figures.js'
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

/** Durations in milliseconds, by what they are of. */
const noSpans = () => ({
  timeToAssign: [] as number[],
  toStore: [] as number[],
  pickupDwell: [] as number[],
  drive: [] as number[],
  doorTime: [] as number[],
  clickToDoor: [] as number[],
  etaError: [] as number[],
  returns: [] as number[],
  recovery: [] as number[],
})

/** Computes all metrics in one pass, and counts what could not be judged. */
export function metricsOf(
  histories: readonly DeliveryHistory[],
  rules: PromiseRules,
): { metrics: Metrics; leftOut: LeftOut[] } {
  const spans = noSpans()
  const add = (to: number[], ms: number | undefined) => {
    if (ms !== undefined) to.push(ms)
  }
  const gaps: Record<LeftOut['name'], number> = { neverAccepted: 0, underWay: 0, noPromise: 0, noEta: 0, noWindow: 0 }
  const sources = new Set<PromiseSource>()
  let [ended, delivered, failed, troubled, proven, promised, onTime] = [0, 0, 0, 0, 0, 0, 0]
  for (const history of histories) {
    const { outcome, acceptedMs, deliveredMs, returnMs } = history
    add(spans.timeToAssign, history.timeToAssignMs)
    add(spans.toStore, history.toStoreMs)
    add(spans.pickupDwell, history.pickupDwellMs)
    add(spans.drive, history.driveMs)
    add(spans.doorTime, history.doorTimeMs)
    add(spans.recovery, history.recoveryMs)
    if (history.hadDispatchTrouble) troubled++
    if (outcome === 'active') {
      gaps.underWay++
      continue
    }
    ended++
    if (acceptedMs === undefined) gaps.neverAccepted++
    if (outcome === 'failed') {
      failed++
      add(spans.returns, returnMs)
    }
    if (outcome !== 'delivered') continue
    delivered++
    if (hasRequiredProof(history)) proven++
    const promise = promisedTo(history, rules)
    if (promise === undefined) gaps.noPromise++
    else if (deliveredMs !== undefined) {
      promised++
      if (lateByMs(promise.promisedByMs, deliveredMs) === 0) onTime++
      sources.add(promise.source)
    }
    if (history.firstEtaMs === undefined) gaps.noEta++
    add(spans.etaError, between(history.firstEtaMs, deliveredMs))
    // A scheduled order waits for its window: without a known one nothing can be said.
    const startMs = windowStartOf(history, rules)
    if (history.isScheduled && startMs === undefined) gaps.noWindow++
    add(spans.clickToDoor, between(startMs ?? (history.isScheduled ? undefined : acceptedMs), deliveredMs))
  }
  const metrics: Metrics = {
    timeToAssign: percentilesOf(spans.timeToAssign),
    toStore: percentilesOf(spans.toStore),
    pickupDwell: percentilesOf(spans.pickupDwell),
    drive: percentilesOf(spans.drive),
    doorTime: percentilesOf(spans.doorTime),
    clickToDoor: percentilesOf(spans.clickToDoor),
    etaError: errorPercentilesOf(spans.etaError),
    // The weakest of the sources that were used.
    onTime: { ...share(onTime, promised), promise: promiseSources.findLast((source) => sources.has(source)) ?? 'none' },
    completion: share(delivered, ended),
    returns: { ...share(spans.returns.length, failed), time: percentilesOf(spans.returns) },
    dispatchTrouble: { ...share(troubled, histories.length), recovery: percentilesOf(spans.recovery) },
    proof: share(proven, delivered),
  }
  const leftOut = (Object.keys(leftOutReasons) as LeftOut['name'][])
    .filter((name) => gaps[name] > 0)
    .map((name) => ({ name, why: leftOutReasons[name], count: gaps[name] }))
  return { metrics, leftOut }
}

function share(part: number, n: number): Share {
  return { value: n === 0 ? null : part / n, n }
}

function windowStartOf({ windowStartMs, latest }: DeliveryHistory, { windows }: PromiseRules): number | undefined {
  return windowStartMs ?? windows?.get(latest.clientOrderReference ?? '')?.startMs
}

function promisedTo(history: DeliveryHistory, rules: PromiseRules): PromisedTime | undefined {
  const { startedMs, firstEtaMs, windowEndMs, latest } = history
  return promiseOf({ reference: latest.clientOrderReference, acceptedMs: startedMs, windowEndMs, firstEtaMs }, rules)
}

function hasRequiredProof({ latest }: DeliveryHistory): boolean {
  return (latest.requiredProofs ?? []).every((type) => latest.proofs?.includes(type))
}
