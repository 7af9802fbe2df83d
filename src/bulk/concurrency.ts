import type { Pacer } from '../client/index.js'

/** Requests in flight unless the caller says otherwise. */
export const defaultConcurrency = 64
/** Requests in flight at the start of a run. */
const firstInFlight = 4
/** Answers until a run trusts the service; each fourth of them lets one more request be in flight. */
const cautiousAnswers = 10
/** Requests in flight beyond those that the allowed rate takes at the present latency, so that none is left unused. */
const spare = 4

/**
 * How many requests may be in flight. A run begins with a few and grows as answers come, one more for each: a service
 * that refuses the key or asks to wait in one of its first answers is not sent much in vain.
 */
export class Concurrency {
  #answers = 0

  constructor(
    private readonly most: number,
    private readonly pacer: Pick<Pacer, 'allowedPerSecond' | 'meanLatencyMs'>,
  ) {}

  /** Counts an answer that does not end the run. */
  countAnswer(): void {
    this.#answers++
  }

  /** Answers so far that did not end the run. */
  get answers(): number {
    return this.#answers
  }

  room(): number {
    return Math.max(1, Math.min(this.most, this.#earned(), this.#useful()))
  }

  #earned(): number {
    const cautious = firstInFlight + Math.floor(Math.min(this.#answers, cautiousAnswers) / 4)
    return cautious + Math.max(0, this.#answers - cautiousAnswers)
  }

  /** As many as the allowed rate takes at the present latency, with something to spare. */
  #useful(): number {
    const perSecond = this.pacer.allowedPerSecond()
    const latencyMs = this.pacer.meanLatencyMs()
    if (perSecond === undefined || latencyMs === undefined) return Number.POSITIVE_INFINITY
    return Math.ceil((perSecond * latencyMs * 2) / 1_000) + spare
  }
}
