import { between } from '../trade/figures.js'
import {
  lateByMs,
  type PromisedTime,
  type PromiseRules,
  type PromiseSource,
  promiseOf,
  promiseSources,
} from '../trade/promise.js'
import type { CountedDelivery } from './groups.js'

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

/** Adds up deliveries one by one, so that no list of them is needed, and counts what could not be judged. */
export class MetricsTally {
  readonly #rules: PromiseRules
  readonly #spans = noSpans()
  readonly #gaps: Record<LeftOut['name'], number> = {
    neverAccepted: 0,
    underWay: 0,
    noPromise: 0,
    noEta: 0,
    noWindow: 0,
  }
  readonly #sources = new Set<PromiseSource>()
  #deliveries = 0
  #ended = 0
  #delivered = 0
  #failed = 0
  #troubled = 0
  #proven = 0
  #promised = 0
  #onTime = 0

  constructor(rules: PromiseRules) {
    this.#rules = rules
  }

  get deliveries(): number {
    return this.#deliveries
  }

  add(history: CountedDelivery): void {
    const { outcome } = history
    const spans = this.#spans
    this.#deliveries++
    push(spans.timeToAssign, history.timeToAssignMs)
    push(spans.toStore, history.toStoreMs)
    push(spans.pickupDwell, history.pickupDwellMs)
    push(spans.drive, history.driveMs)
    push(spans.doorTime, history.doorTimeMs)
    push(spans.recovery, history.recoveryMs)
    if (history.hadDispatchTrouble) this.#troubled++
    if (outcome === 'active') {
      this.#gaps.underWay++
      return
    }
    this.#ended++
    if (history.acceptedMs === undefined) this.#gaps.neverAccepted++
    if (outcome === 'failed') {
      this.#failed++
      push(spans.returns, history.returnMs)
    }
    if (outcome === 'delivered') this.#addDelivered(history)
  }

  #addDelivered(history: CountedDelivery): void {
    const { acceptedMs, deliveredMs } = history
    this.#delivered++
    if (hasRequiredProof(history)) this.#proven++
    const rules = history.account?.promises ?? this.#rules
    const promise = promisedTo(history, rules)
    if (promise === undefined) this.#gaps.noPromise++
    else if (deliveredMs !== undefined) {
      this.#promised++
      if (lateByMs(promise.promisedByMs, deliveredMs) === 0) this.#onTime++
      this.#sources.add(promise.source)
    }
    if (history.firstEtaMs === undefined) this.#gaps.noEta++
    push(this.#spans.etaError, between(history.firstEtaMs, deliveredMs))
    // A scheduled order waits for its window: without a known one nothing can be said.
    const startMs = windowStartOf(history, rules)
    if (history.isScheduled && startMs === undefined) this.#gaps.noWindow++
    push(this.#spans.clickToDoor, between(startMs ?? (history.isScheduled ? undefined : acceptedMs), deliveredMs))
  }

  metrics(): Metrics {
    const spans = this.#spans
    return {
      timeToAssign: percentilesOf(spans.timeToAssign),
      toStore: percentilesOf(spans.toStore),
      pickupDwell: percentilesOf(spans.pickupDwell),
      drive: percentilesOf(spans.drive),
      doorTime: percentilesOf(spans.doorTime),
      clickToDoor: percentilesOf(spans.clickToDoor),
      etaError: errorPercentilesOf(spans.etaError),
      // The weakest of the sources that were used.
      onTime: {
        ...share(this.#onTime, this.#promised),
        promise: promiseSources.findLast((source) => this.#sources.has(source)) ?? 'none',
      },
      completion: share(this.#delivered, this.#ended),
      returns: { ...share(spans.returns.length, this.#failed), time: percentilesOf(spans.returns) },
      dispatchTrouble: { ...share(this.#troubled, this.#deliveries), recovery: percentilesOf(spans.recovery) },
      proof: share(this.#proven, this.#delivered),
    }
  }

  leftOut(): LeftOut[] {
    return (Object.keys(leftOutReasons) as LeftOut['name'][])
      .filter((name) => this.#gaps[name] > 0)
      .map((name) => ({ name, why: leftOutReasons[name], count: this.#gaps[name] }))
  }
}

function push(to: number[], ms: number | undefined): void {
  if (ms !== undefined) to.push(ms)
}

function share(part: number, n: number): Share {
  return { value: n === 0 ? null : part / n, n }
}

function windowStartOf({ windowStartMs, latest }: CountedDelivery, { windows }: PromiseRules): number | undefined {
  return windowStartMs ?? windows?.get(latest.clientOrderReference ?? '')?.startMs
}

function promisedTo(history: CountedDelivery, rules: PromiseRules): PromisedTime | undefined {
  const { startedMs, firstEtaMs, windowEndMs, latest } = history
  return promiseOf({ reference: latest.clientOrderReference, acceptedMs: startedMs, windowEndMs, firstEtaMs }, rules)
}

function hasRequiredProof({ latest }: CountedDelivery): boolean {
  return (latest.requiredProofs ?? []).every((type) => latest.proofs?.includes(type))
}

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
function percentile(ascending: ArrayLike<number>, p: number): number | null {
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
function errorPercentilesOf(errorsMs: readonly number[]): Percentiles {
  const absolute = percentilesOf(errorsMs.map(Math.abs))
  return { ...absolute, p50: percentilesOf(errorsMs).p50 }
}
