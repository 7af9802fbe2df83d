import type { Pacer } from '../client/index.js'

/** Requests in flight unless the caller says otherwise. */
export const defaultConcurrency = 64
/** Requests in flight at the start of a run. */
const firstInFlight = 4
/** Answers until a run trusts the service; each fourth of them lets one more request be in flight. */
const cautiousAnswers = 10
/** Requests in flight beyond those that the allowed rate takes at the present latency, so that none is left unused. */
const spare = 4
/** Rows claimed ahead before the first answer: it tells the service's time, which an intent should hold. */
const firstAhead = 16
/** Rows claimed further ahead for each answer: the first ones are soon sent, and a long run waits for the disk less often. */
const aheadForAnswer = 8

/**
 * How many requests may be in flight, and how many rows may be claimed before there is room for them. A run begins with a
 * few and grows as answers come: a service that refuses the key or asks to wait in one of its first answers is not sent
 * much in vain.
 */
export class Concurrency {
  #answers = 0

  constructor(
    private readonly most: number,
    private readonly mostAhead: number,
    private readonly pacer: Pick<Pacer, 'allowedPerSecond' | 'meanLatencyMs'>,
  ) {}

  /** Counts an answer that does not end the run. */
  countAnswer(): void {
    this.#answers++
  }

  /** Requests that may be in flight. */
  room(): number {
    return Math.max(1, Math.min(this.most, this.#earned(), this.#useful()))
  }

  /** Rows that may be claimed beyond those in flight. */
  ahead(): number {
    return Math.min(this.mostAhead, firstAhead + this.#answers * aheadForAnswer)
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
