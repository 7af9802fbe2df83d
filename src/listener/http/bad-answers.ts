import { seededRandom } from '../../shared/math.js'

/** Answers that a listener gives on purpose, to show how the sender handles a receiver that fails. */
export interface BadAnswers {
  /** Each with its share of the webhooks, between 0 and 1; together at most 1. */
  answers: readonly {
    /** An HTTP status, or a connection that is reset. */
    answer: number | 'reset'
    /** Of all webhooks, between 0 and 1. */
    share: number
  }[]
  /** Delays the responses to a share of the webhooks. */
  delay?: {
    /** The delay of the response. */
    ms: number
    /** Of all webhooks, between 0 and 1. */
    share: number
  }
  /** The same seed chooses the same webhooks, counted in the order of their arrival. */
  seed: number
}

/** The response chosen for one webhook. */
export interface ChosenAnswer {
  /** A status, or a connection that is reset; `undefined` for the answer that it would get anyway. */
  answer: number | 'reset' | undefined
  delayMs: number
}

/** Chooses for one webhook after the other. */
export function badAnswers({ answers, delay, seed }: BadAnswers): () => ChosenAnswer {
  const random = seededRandom(seed)
  return () => {
    // Two numbers for every webhook, so that a delay does not change which of them are refused.
    let place = random()
    const delayPlace = random()
    const chosen = answers.find(({ share }) => {
      place -= share
      return place < 0
    })
    const isLate = delay !== undefined && delayPlace < delay.share
    return { answer: chosen?.answer, delayMs: isLate ? delay.ms : 0 }
  }
}
