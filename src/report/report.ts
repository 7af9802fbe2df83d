import type { EventFact } from '../trade/event-fact.js'
import type { PromiseRules } from '../trade/promise.js'
import { DeliveryHistories, type DeliveryHistory } from './delivery-history.js'
import { type Grouping, groupBy } from './groups.js'
import { type LeftOut, type Metrics, metricsOf } from './metrics.js'
import { type Money, moneyOf } from './money.js'
import { type FurthestCount, furthestOf, type ReasonCount, reasonsOf } from './reasons.js'
import { type WebhookCount, type WebhookHealth, WebhookTally } from './webhook-health.js'

/** A span of time, its end excluded, as RFC 3339. */
export interface Period {
  from: string
  to: string
}

/** The report on the deliveries of a period. */
export interface Report {
  period: Period
  deliveries: number
  metrics: Metrics
  reasons: ReasonCount[]
  furthest: FurthestCount[]
  money: Money
  webhooks: WebhookHealth
  /** The period of equal length that ended where this one begins; `null` if its events are not available. */
  before: { period: Period; deliveries: number; metrics: Metrics } | null
  leftOut: LeftOut[]
  /** With a grouping: the same metrics for each of its groups. */
  by?: { key: string | null; deliveries: number; metrics: Metrics }[]
}

export interface ReportOptions {
  fromMs: number
  toMs: number
  /** The events reach back this far; the period before is `null` if it begins earlier. */
  eventsSinceMs: number
  promises?: PromiseRules
  by?: Grouping | undefined
  /** IANA zone for `hour` and `day` instead of each store's own. */
  timeZone?: string | undefined
}

/** Takes events one at a time, in any order, and reports on them. */
export class ReportBuilder {
  readonly #options: ReportOptions
  readonly #histories = new DeliveryHistories()
  readonly #whole: DeliveryHistory[] = []
  readonly #webhooks = new WebhookTally()

  constructor(options: ReportOptions) {
    this.#options = options
  }

  /** A delivery that is already put together; its events are not added. */
  addDelivery(history: DeliveryHistory): void {
    this.#whole.push(history)
  }

  /** The webhooks of many events of the period with the same attempts and status. */
  addWebhooks(health: WebhookCount): void {
    this.#webhooks.addMany(health)
  }

  /** Each event once: two facts of one event count as two for the webhooks. */
  add(fact: EventFact): void {
    const { fromMs, toMs } = this.#options
    this.#histories.add(fact)
    if (fact.occurredAtMs >= fromMs && fact.occurredAtMs < toMs) this.#webhooks.add(fact)
  }

  /** The deliveries that were accepted within the period. */
  deliveries(): DeliveryHistory[] {
    return this.#startedWithin(this.#options.fromMs, this.#options.toMs)
  }

  report(): Report {
    const { fromMs, toMs, by, timeZone, promises = {} } = this.#options
    const histories = this.deliveries()
    const { metrics, leftOut } = metricsOf(histories, promises)
    return {
      period: periodOf(fromMs, toMs),
      deliveries: histories.length,
      metrics,
      reasons: reasonsOf(histories),
      furthest: furthestOf(histories),
      money: moneyOf(histories),
      webhooks: this.#webhooks.health(),
      before: this.#before(promises),
      leftOut,
      ...(by === undefined
        ? {}
        : {
            by: groupBy(histories, by, timeZone).map(({ key, histories: members }) => ({
              key,
              deliveries: members.length,
              metrics: metricsOf(members, promises).metrics,
            })),
          }),
    }
  }

  #before(promises: PromiseRules): Report['before'] {
    const { fromMs, toMs, eventsSinceMs } = this.#options
    const beforeMs = fromMs - (toMs - fromMs)
    if (beforeMs < eventsSinceMs) return null
    const histories = this.#startedWithin(beforeMs, fromMs)
    return {
      period: periodOf(beforeMs, fromMs),
      deliveries: histories.length,
      metrics: metricsOf(histories, promises).metrics,
    }
  }

  #startedWithin(fromMs: number, toMs: number): DeliveryHistory[] {
    return [...this.#histories, ...this.#whole].filter(
      ({ startedMs }) => startedMs !== undefined && startedMs >= fromMs && startedMs < toMs,
    )
  }
}

function periodOf(fromMs: number, toMs: number): Period {
  return { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() }
}
