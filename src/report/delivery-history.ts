import { isKnownDeliveryStatus } from '../contract/index.js'
import type { EventFact } from '../trade/event-fact.js'
import { failedStatuses } from '../trade/statuses.js'

/** One status of a delivery and when it was reached, in milliseconds since the epoch. */
export interface StatusStep {
  status: string
  atMs: number
  statusReasonCode?: string | undefined
}

/** The outcome of a delivery. `active` has none yet; a delivery that is returning to the store counts as failed. */
export type DeliveryOutcome = 'delivered' | 'failed' | 'cancelled' | 'expired' | 'active'

/** One delivery, put together from its events. */
export interface DeliveryHistory {
  readonly deliveryId: string
  /** In the order of time. */
  readonly steps: readonly StatusStep[]
  /** The latest snapshot of the delivery, without what only its steps say. */
  readonly latest: EventFact
  readonly firstEtaMs: number | undefined
  readonly windowStartMs: number | undefined
  readonly windowEndMs: number | undefined
}

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
    for (const [deliveryId, draft] of this.#drafts) yield draft.history(deliveryId)
  }
}

class Draft {
  readonly #steps: StatusStep[] = []
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

  history(deliveryId: string): DeliveryHistory {
    return {
      deliveryId,
      steps: this.#steps.sort((one, other) => one.atMs - other.atMs),
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

/** When a status was first reached. */
export function firstAt({ steps }: DeliveryHistory, ...statuses: readonly string[]): number | undefined {
  return steps.find(({ status }) => statuses.includes(status))?.atMs
}

/** When a status was last reached, before `beforeMs` if that is given. */
export function lastAt(
  { steps }: DeliveryHistory,
  status: string,
  beforeMs: number = Number.POSITIVE_INFINITY,
): number | undefined {
  return steps.findLast((step) => step.status === status && step.atMs <= beforeMs)?.atMs
}

/** The moment by which a delivery belongs to a period: its acceptance, else its first status. */
export function startOf(history: DeliveryHistory): number | undefined {
  return firstAt(history, 'accepted') ?? history.steps[0]?.atMs
}

export function outcomeOf(history: DeliveryHistory): DeliveryOutcome {
  if (firstAt(history, 'delivered') !== undefined) return 'delivered'
  if (failedAt(history) !== undefined) return 'failed'
  if (firstAt(history, 'cancelled') !== undefined) return 'cancelled'
  return firstAt(history, 'expired') === undefined ? 'active' : 'expired'
}

/** When a delivery failed: `failed`, or the door left for the store without it. */
export function failedAt(history: DeliveryHistory): number | undefined {
  return firstAt(history, ...failedStatuses)
}

/** The step that ended a delivery unhappily, with its reason; `undefined` if it ended otherwise or not at all. */
export function unhappyEnd(history: DeliveryHistory): StatusStep | undefined {
  const outcome = outcomeOf(history)
  if (outcome === 'delivered' || outcome === 'active') return undefined
  const statuses = outcome === 'failed' ? failedStatuses : [outcome]
  return history.steps.find(({ status }) => statuses.includes(status))
}
