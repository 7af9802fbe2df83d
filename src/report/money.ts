import type { DeliveryHistory } from './delivery-history.js'

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

export function moneyOf(histories: readonly DeliveryHistory[]): Money {
  let deliveredCents = 0
  let wasteCents = 0
  let tipsCents = 0
  let drops = 0
  let currency: string | undefined
  for (const { latest, outcome } of histories) {
    if (outcome === 'delivered') {
      drops++
      deliveredCents += latest.totalPriceCents ?? 0
      tipsCents += latest.tipAmountCents ?? 0
    } else if (outcome === 'failed') wasteCents += latest.totalPriceCents ?? 0
    else if (outcome === 'cancelled') wasteCents += latest.cancellationFeeCents ?? 0
    currency ??= latest.currency
  }
  return {
    currency: currency ?? 'USD',
    pricePerDropCents: perDrop(deliveredCents, drops),
    allInPerDropCents: perDrop(deliveredCents + wasteCents, drops),
    wasteCents,
    tipsCents,
  }
}

function perDrop(cents: number, drops: number): number | null {
  return drops === 0 ? null : Math.round(cents / drops)
}
