import { isKnownDeliveryStatus } from '../contract/index.js'
import type { EventFact } from '../trade/event-fact.js'
import { type DeliveryFigures, figuresOf, type TimedStatus } from '../trade/figures.js'

/** One delivery, as a report counts it. */
export interface DeliveryHistory extends DeliveryFigures {
  /** The latest snapshot of the delivery, without what only its statuses say. */
  readonly latest: DeliveryFacts
  readonly firstEtaMs: number | undefined
  readonly windowStartMs: number | undefined
  readonly windowEndMs: number | undefined
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

const statusPrefix = 'delivery.'

/** Puts deliveries together from events in any order; an event that comes twice counts once. */
export class DeliveryHistories {
  readonly #drafts = new Map<string, Draft>()
  readonly #shared = new SharedTexts()

  add(fact: EventFact): void {
    if (fact.deliveryId === undefined || !fact.eventType.startsWith(statusPrefix)) return
    const draft = this.#drafts.get(fact.deliveryId) ?? new Draft(fact, this.#shared)
    this.#drafts.set(fact.deliveryId, draft)
    draft.add(fact)
  }

  *[Symbol.iterator](): Generator<DeliveryHistory> {
    for (const draft of this.#drafts.values()) yield draft.history()
  }
}

class Draft {
  readonly #steps: TimedStatus[] = []
  readonly #latest: EventFact
  #firstEta: { eventAtMs: number; etaMs: number } | undefined
  #windowStartMs: number | undefined
  #windowEndMs: number | undefined

  constructor(
    first: EventFact,
    private readonly shared: SharedTexts,
  ) {
    this.#latest = this.shared.fact({ ...first })
  }

  add(fact: EventFact): void {
    const status = fact.eventType.slice(statusPrefix.length)
    const { occurredAtMs: atMs } = fact
    if (isKnownDeliveryStatus(status) && !this.#steps.some((step) => step.status === status && step.atMs === atMs))
      this.#steps.push({
        status: this.shared.text(status),
        atMs,
        statusReasonCode: fact.statusReasonCode && this.shared.text(fact.statusReasonCode),
      })
    if (fact.etaDropoffMs !== undefined && atMs < (this.#firstEta?.eventAtMs ?? Number.POSITIVE_INFINITY))
      this.#firstEta = { eventAtMs: atMs, etaMs: fact.etaDropoffMs }
    this.#windowStartMs ??= fact.windowStartMs
    this.#windowEndMs ??= fact.windowEndMs
    const latest = this.#latest
    if (atMs >= latest.occurredAtMs) Object.assign(latest, fact)
    else Object.assign(latest, { ...fact, ...latest })
    this.shared.fact(latest)
  }

  history(): DeliveryHistory {
    return {
      ...figuresOf(this.#steps.sort((one, other) => one.atMs - other.atMs)),
      latest: this.#latest,
      firstEtaMs: this.#firstEta?.etaMs,
      windowStartMs: this.#windowStartMs,
      windowEndMs: this.#windowEndMs,
    }
  }
}

/** Words that many deliveries have in common are kept once: every event brings its own copy of them. */
class SharedTexts {
  readonly #texts = new Map<string, string>()

  text(text: string): string {
    const known = this.#texts.get(text)
    if (known !== undefined) return known
    this.#texts.set(text, text)
    return text
  }

  fact(fact: EventFact): EventFact {
    for (const name of sharedFields) {
      const text = fact[name]
      if (text !== undefined) fact[name] = this.text(text)
    }
    return fact
  }
}

const sharedFields = [
  'eventType',
  'storeReference',
  'installationCode',
  'postalCode',
  'state',
  'driverId',
  'statusReasonCode',
  'currency',
  'lastDeliveryStatus',
] as const
