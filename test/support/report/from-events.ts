/** Reports that are put together event by event, in memory: what the ones of an archive are compared with. */
import { isKnownDeliveryStatus } from '../../../src/contract/index.js'
import { type CountedDelivery, type EventFact, ReportBuilder, type ReportOptions } from '../../../src/report/index.js'
import { figuresOf, type TimedStatus } from '../../../src/trade/figures.js'
import { webhookStatusOf } from '../../../src/trade/webhook-status.js'

const statusPrefix = 'delivery.'

/** The report on events, in any order; one that comes twice counts once for deliveries. */
export function reportFromEvents(
  facts: Iterable<EventFact>,
  options: ReportOptions,
): ReturnType<ReportBuilder['finish']> {
  const builder = new ReportBuilder(options)
  const deliveries = new Deliveries()
  for (const fact of facts) {
    deliveries.add(fact)
    const { attempts = 0, lastDeliveryStatus, occurredAtMs, receivedAtMs } = fact
    if (occurredAtMs < options.fromMs || occurredAtMs >= options.toMs) continue
    const receivedMs = receivedAtMs === undefined ? [] : [receivedAtMs - occurredAtMs]
    builder.addWebhooks({ attempts, status: webhookStatusOf(lastDeliveryStatus, fact.attempts), count: 1, receivedMs })
  }
  for (const delivery of deliveries) builder.addDelivery(delivery)
  return builder.finish()
}

/** Puts deliveries together from events in any order; an event that comes twice counts once. */
class Deliveries {
  readonly #drafts = new Map<string, Draft>()

  add(fact: EventFact): void {
    if (fact.deliveryId === undefined || !fact.eventType.startsWith(statusPrefix)) return
    const draft = this.#drafts.get(fact.deliveryId) ?? new Draft(fact)
    this.#drafts.set(fact.deliveryId, draft)
    draft.add(fact)
  }

  *[Symbol.iterator](): Generator<CountedDelivery> {
    for (const draft of this.#drafts.values()) yield draft.history()
  }
}

class Draft {
  readonly #steps: TimedStatus[] = []
  readonly #latest: EventFact
  #firstEta: { eventAtMs: number; etaMs: number } | undefined
  #windowStartMs: number | undefined
  #windowEndMs: number | undefined

  constructor(first: EventFact) {
    this.#latest = { ...first }
  }

  add(fact: EventFact): void {
    const status = fact.eventType.slice(statusPrefix.length)
    const { occurredAtMs: atMs } = fact
    if (isKnownDeliveryStatus(status) && !this.#steps.some((step) => step.status === status && step.atMs === atMs))
      this.#steps.push({
        status,
        atMs,
        statusReasonCode: fact.statusReasonCode,
      })
    if (fact.etaDropoffMs !== undefined && atMs < (this.#firstEta?.eventAtMs ?? Number.POSITIVE_INFINITY))
      this.#firstEta = { eventAtMs: atMs, etaMs: fact.etaDropoffMs }
    this.#windowStartMs ??= fact.windowStartMs
    this.#windowEndMs ??= fact.windowEndMs
    const latest = this.#latest
    if (atMs >= latest.occurredAtMs) Object.assign(latest, fact)
    else Object.assign(latest, { ...fact, ...latest })
  }

  history(): CountedDelivery {
    return {
      ...figuresOf(this.#steps.sort((one, other) => one.atMs - other.atMs)),
      latest: this.#latest,
      firstEtaMs: this.#firstEta?.etaMs,
      windowStartMs: this.#windowStartMs,
      windowEndMs: this.#windowEndMs,
    }
  }
}
