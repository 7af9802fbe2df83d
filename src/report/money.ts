import type { CountedDelivery } from './groups.js'

/** The cost of a period's deliveries, in cents of `currency`; per-drop figures are `null` if nothing was delivered. */
export interface Money {
  currency: string
  /** The totals of those delivered, per delivered. */
  pricePerDropCents: number | null
  /** Everything charged, per delivered. */
  allInPerDropCents: number | null
  /** The totals of those that failed, and the cancellation fees. */
  wasteCents: number
  /** Tips of those delivered. */
  tipsCents: number
}

/** Adds up what deliveries cost. */
export class MoneyTally {
  #deliveredCents = 0
  #wasteCents = 0
  #tipsCents = 0
  #drops = 0
  #currency: string | undefined

  add({ latest, outcome }: CountedDelivery): void {
    if (outcome === 'delivered') {
      this.#drops++
      this.#deliveredCents += latest.totalPriceCents ?? 0
      this.#tipsCents += latest.tipAmountCents ?? 0
    } else if (outcome === 'failed') this.#wasteCents += latest.totalPriceCents ?? 0
    else if (outcome === 'cancelled') this.#wasteCents += latest.cancellationFeeCents ?? 0
    this.#currency ??= latest.currency
  }

  money(): Money {
    return {
      currency: this.#currency ?? 'USD',
      pricePerDropCents: perDrop(this.#deliveredCents, this.#drops),
      allInPerDropCents: perDrop(this.#deliveredCents + this.#wasteCents, this.#drops),
      wasteCents: this.#wasteCents,
      tipsCents: this.#tipsCents,
    }
  }
}

function perDrop(cents: number, drops: number): number | null {
  return drops === 0 ? null : Math.round(cents / drops)
}
