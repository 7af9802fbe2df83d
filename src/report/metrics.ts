import {
  lateByMs,
  type PromisedTime,
  type PromiseRules,
  type PromiseSource,
  promiseOf,
  promiseSources,
} from '../trade/promise.js'
import { type DeliveryHistory, failedAt, firstAt, lastAt, outcomeOf, startOf } from './delivery-history.js'
import { errorPercentilesOf, type Percentiles, percentilesOf } from './percentiles.js'

/** A part of `n`, from 0 to 1; `null` if `n` is 0. */
export interface Share {
  value: number | null
  n: number
}

/** The metrics of a set of deliveries. Durations are seconds. */
export interface Metrics {
  /** From `accepted` to the first `driver_assigned`. */
  timeToAssign: Percentiles
  /** From the last assignment to the store. */
  toStore: Percentiles
  /** From the arrival at the store to `pickup_complete`. */
  pickupDwell: Percentiles
  /** From `pickup_complete` to the door. */
  drive: Percentiles
  /** From the arrival at the door to `delivered` or `failed`. */
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
  const ended = histories.filter((history) => outcomeOf(history) !== 'active')
  const delivered = histories.filter((history) => outcomeOf(history) === 'delivered')
  const failed = histories.filter((history) => outcomeOf(history) === 'failed')

  const metrics: Metrics = {
    timeToAssign: percentilesOf(spans(histories, timeToAssignMs)),
    toStore: percentilesOf(spans(histories, toStoreMs)),
    pickupDwell: percentilesOf(spans(histories, pickupDwellMs)),
    drive: percentilesOf(spans(histories, driveMs)),
    doorTime: percentilesOf(spans(histories, doorTimeMs)),
    clickToDoor: percentilesOf(spans(delivered, (history) => clickToDoorMs(history, rules))),
    etaError: errorPercentilesOf(spans(delivered, etaErrorMs)),
    onTime: onTimeOf(delivered, rules),
    completion: shareOf(ended, (history) => outcomeOf(history) === 'delivered'),
    returns: {
      ...shareOf(failed, (history) => firstAt(history, 'returned') !== undefined),
      time: percentilesOf(spans(failed, returnMs)),
    },
    dispatchTrouble: {
      ...shareOf(histories, (history) => firstAt(history, 'dispatch_failed', 'reassigning') !== undefined),
      recovery: percentilesOf(spans(histories, recoveryMs)),
    },
    proof: shareOf(delivered, hasRequiredProof),
  }
  for (const history of histories) {
    if (firstAt(history, 'accepted') === undefined && outcomeOf(history) !== 'active') leaveOut('neverAccepted')
    if (outcomeOf(history) === 'active') leaveOut('underWay')
  }
  for (const history of delivered) {
    if (promisedTo(history, rules) === undefined) leaveOut('noPromise')
    if (history.firstEtaMs === undefined) leaveOut('noEta')
    if (isScheduled(history) && windowStartOf(history, rules) === undefined) leaveOut('noWindow')
  }
  return { metrics, leftOut: [...gaps].map(([name, count]) => ({ name, why: leftOutReasons[name], count })) }
}

function spans(
  histories: readonly DeliveryHistory[],
  spanOf: (history: DeliveryHistory) => number | undefined,
): number[] {
  return histories.flatMap((history) => spanOf(history) ?? [])
}

function shareOf(all: readonly DeliveryHistory[], counts: (history: DeliveryHistory) => boolean): Share {
  return { value: all.length === 0 ? null : all.filter(counts).length / all.length, n: all.length }
}

function timeToAssignMs(history: DeliveryHistory): number | undefined {
  return between(firstAt(history, 'accepted'), firstAt(history, 'driver_assigned'))
}

/** A leg ends at what it leads to, and begins at the last of its start before that. */
function leg(history: DeliveryHistory, from: string, toMs: number | undefined): number | undefined {
  return toMs === undefined ? undefined : between(lastAt(history, from, toMs), toMs)
}

function toStoreMs(history: DeliveryHistory): number | undefined {
  return leg(history, 'driver_assigned', lastAt(history, 'driver_at_pickup', firstAt(history, 'pickup_complete')))
}

function pickupDwellMs(history: DeliveryHistory): number | undefined {
  return leg(history, 'driver_at_pickup', firstAt(history, 'pickup_complete'))
}

function driveMs(history: DeliveryHistory): number | undefined {
  return leg(history, 'pickup_complete', firstAt(history, 'driver_at_dropoff'))
}

function doorTimeMs(history: DeliveryHistory): number | undefined {
  return leg(history, 'driver_at_dropoff', firstAt(history, 'delivered') ?? failedAt(history))
}

/** A scheduled order waits for its window: without a known one nothing can be said. */
function clickToDoorMs(history: DeliveryHistory, rules: PromiseRules): number | undefined {
  const startMs = windowStartOf(history, rules) ?? (isScheduled(history) ? undefined : firstAt(history, 'accepted'))
  return between(startMs, firstAt(history, 'delivered'))
}

function windowStartOf({ windowStartMs, latest }: DeliveryHistory, { windows }: PromiseRules): number | undefined {
  return windowStartMs ?? windows?.get(latest.clientOrderReference ?? '')?.startMs
}

function isScheduled(history: DeliveryHistory): boolean {
  return firstAt(history, 'scheduled') !== undefined
}

function promisedTo(history: DeliveryHistory, rules: PromiseRules): PromisedTime | undefined {
  const { firstEtaMs, windowEndMs, latest } = history
  return promiseOf(
    { reference: latest.clientOrderReference, acceptedMs: startOf(history), windowEndMs, firstEtaMs },
    rules,
  )
}

/** The weakest of the sources that were used. */
function weakestOf(sources: readonly PromiseSource[]): PromiseSource {
  return promiseSources.findLast((source) => sources.includes(source)) ?? 'none'
}

function etaErrorMs(history: DeliveryHistory): number | undefined {
  return between(history.firstEtaMs, firstAt(history, 'delivered'))
}

function returnMs(history: DeliveryHistory): number | undefined {
  return between(failedAt(history), firstAt(history, 'returned'))
}

function recoveryMs(history: DeliveryHistory): number | undefined {
  const troubleMs = firstAt(history, 'dispatch_failed', 'reassigning')
  if (troubleMs === undefined) return undefined
  const next = history.steps.find(({ status, atMs }) => status === 'driver_assigned' && atMs >= troubleMs)
  return between(troubleMs, next?.atMs)
}

function between(fromMs: number | undefined, toMs: number | undefined): number | undefined {
  return fromMs === undefined || toMs === undefined ? undefined : toMs - fromMs
}

function onTimeOf(delivered: readonly DeliveryHistory[], rules: PromiseRules): Metrics['onTime'] {
  const judged = delivered.flatMap((history) => {
    const promise = promisedTo(history, rules)
    const deliveredMs = firstAt(history, 'delivered')
    if (promise === undefined || deliveredMs === undefined) return []
    return [{ isOnTime: lateByMs(promise.promisedByMs, deliveredMs) === 0, source: promise.source }]
  })
  const onTime = judged.filter(({ isOnTime }) => isOnTime).length
  return {
    value: judged.length === 0 ? null : onTime / judged.length,
    n: judged.length,
    promise: weakestOf(judged.map(({ source }) => source)),
  }
}

function hasRequiredProof({ latest }: DeliveryHistory): boolean {
  return (latest.requiredProofs ?? []).every((type) => latest.proofs?.includes(type))
}
