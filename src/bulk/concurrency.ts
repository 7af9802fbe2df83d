import type { Pacer } from '../client/index.js'

/** The default for requests in flight. */
export const defaultConcurrency = 64
/** Requests in flight at the start of a run. */
const firstInFlight = 4
/** Responses of the cautious start, in which every fourth response adds one request in flight. */
const cautiousAnswers = 10
/** Requests in flight beyond those that the rate limit needs at the current latency. */
const spare = 4
/** Rows claimed ahead before the first response, which tells the service's time that intents record. */
const firstAhead = 16
/** More rows claimed ahead for each response, so that a long run waits for the disk less often. */
const aheadForAnswer = 8

/**
 * Limits the requests in flight and the rows claimed ahead of them. A run starts with a few requests and adds more with
 * each response, so that few are wasted if the service refuses the key or asks to wait.
 */
export class Concurrency {
  #answers = 0

  constructor(
    private readonly most: number,
    private readonly mostAhead: number,
    private readonly pacer: Pick<Pacer, 'allowedPerSecond' | 'meanLatencyMs'>,
  ) {}

  /** Counts a response that does not end the run. */
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

  /** The requests in flight that the rate limit needs at the current latency, and some to spare. */
  #useful(): number {
    const perSecond = this.pacer.allowedPerSecond()
    const latencyMs = this.pacer.meanLatencyMs()
    if (perSecond === undefined || latencyMs === undefined) return Number.POSITIVE_INFINITY
    return Math.ceil((perSecond * latencyMs * 2) / 1_000) + spare
  }
}
