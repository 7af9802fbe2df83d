import type { EventFact } from '../trade/event-fact.js'
import type { DeliveryFigures } from '../trade/figures.js'
import type { PromiseRules } from '../trade/promise.js'

/** One delivery, as a report counts it. */
export interface CountedDelivery extends DeliveryFigures {
  /** The latest snapshot of the delivery, without what only its statuses say. */
  readonly latest: DeliveryFacts
  readonly firstEtaMs: number | undefined
  readonly windowStartMs: number | undefined
  readonly windowEndMs: number | undefined
  /** Its account, in a report on several: the name, and what was promised there. */
  readonly account?: { name: string; promises: PromiseRules } | undefined
}

/** The facts of a delivery by which it is grouped, judged and paid. */
type DeliveryFacts = Pick<
  EventFact,
  | 'clientOrderReference'
  | 'storeReference'
  | 'installationCode'
  | 'driverId'
  | 'postalCode'
  | 'state'
  | 'currency'
  | 'totalPriceCents'
  | 'tipAmountCents'
  | 'cancellationFeeCents'
  | 'proofs'
  | 'requiredProofs'
>
