import { isRateLimited } from './retry.js'

/** A limit on the retries of a run, so that it does not flood a service that is down. */
export interface RetryBudget {
  /** Counts a first attempt: it earns a share of a repetition. */
  earn(): void
  /** Whether one more repetition is allowed; a 429 is free, since it is paced and not a fault. */
  grantRetry(failure: unknown): boolean
  /** Whether a repetition has been denied since the start. */
  isSpent(): boolean
}

/**
 * A budget of `reserve` repetitions, to which each first attempt adds `share` of one. 20 and a tenth keep a run of
 * thousands under 1.1 requests an order, and let a short run live through a hiccup.
 */
export function createRetryBudget({
  reserve = 20,
  share = 0.1,
}: {
  /** Repetitions that may be made at once. */
  reserve?: number
  /** The retries that each first attempt adds to the budget. */
  share?: number
} = {}): RetryBudget {
  let balance = reserve
  let isSpent = false
  return {
    earn() {
      balance = Math.min(balance + share, Math.max(reserve, 200))
    },
    grantRetry(failure) {
      if (isRateLimited(failure)) return true
      if (balance < 1) isSpent = true
      else balance -= 1
      return !isSpent
    },
    isSpent: () => isSpent,
  }
}
