import type { PromiseRules } from '../trade/promise.js'
import { type Activity, ActivityTally } from './activity.js'
import { type CountedDelivery, compareKeys, type Grouping, keyOf } from './groups.js'
import { type LeftOut, type Metrics, MetricsTally } from './metrics.js'
import { type Money, MoneyTally } from './money.js'
import { type FurthestCount, type ReasonCount, ReasonTally } from './reasons.js'
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
  /** Parts of the period whose events were not fetched from the service, with the number that a journal told of. */
  gaps: (Period & { events: number; profile?: string })[]
  /** With a grouping: the same metrics for each of its groups. */
  by?: { key: string | null; deliveries: number; metrics: Metrics }[]
}

export interface ReportOptions {
  fromMs: number
  toMs: number
  /** What is known reaches back this far; the period before is `null` if it begins earlier. */
  eventsSinceMs: number
  /** The parts of the period whose events were not fetched, with the number that is known otherwise. */
  gaps?: readonly { fromMs: number; toMs: number; events: number; profile?: string | undefined }[]
  promises?: PromiseRules
  by?: Grouping | undefined
  /** IANA zone for `hour` and `day` instead of each store's own. */
  timeZone?: string | undefined
}

/** Takes deliveries one at a time, in any order, and reports on them. */
export class ReportBuilder {
  readonly #options: ReportOptions
  readonly #period: MetricsTally
  readonly #before: MetricsTally
  readonly #groups = new Map<string | null, MetricsTally>()
  readonly #reasons = new ReasonTally()
  readonly #money = new MoneyTally()
  readonly #activity: ActivityTally
  readonly #webhooks = new WebhookTally()

  constructor(options: ReportOptions) {
    this.#options = options
    this.#period = new MetricsTally(options.promises ?? {})
    this.#before = new MetricsTally(options.promises ?? {})
    this.#activity = new ActivityTally(options.timeZone)
  }

  addDelivery(history: CountedDelivery): void {
    const { fromMs, toMs, by, timeZone } = this.#options
    const { startedMs } = history
    if (startedMs === undefined || startedMs >= toMs) return
    if (startedMs < fromMs) {
      if (startedMs >= startBefore(this.#options)) this.#before.add(history)
      return
    }
    this.#period.add(history)
    this.#reasons.add(history)
    this.#money.add(history)
    this.#activity.add(history, startedMs)
    if (by === undefined) return
    const key = keyOf(history, by, timeZone)
    const group = this.#groups.get(key) ?? new MetricsTally(this.#options.promises ?? {})
    this.#groups.set(key, group)
    group.add(history)
  }

  /** The webhooks of many events of the period with the same attempts and status. */
  addWebhooks(health: WebhookCount): void {
    this.#webhooks.add(health)
  }

  /** The report on all that was added, and when its deliveries began; nothing is added afterwards. */
  finish(): { report: Report; activity: Activity } {
    const { fromMs, toMs, by, gaps = [] } = this.#options
    const report = {
      period: periodOf(fromMs, toMs),
      ...countedIn(this.#period),
      reasons: this.#reasons.reasons(),
      furthest: this.#reasons.furthest(),
      money: this.#money.money(),
      webhooks: this.#webhooks.health(),
      before: this.#periodBefore(),
      leftOut: this.#period.leftOut(),
      gaps: gaps.map(({ fromMs, toMs, events, profile }) => {
        return { ...periodOf(fromMs, toMs), events, ...(profile === undefined ? {} : { profile }) }
      }),
      ...(by === undefined ? {} : { by: this.#byGroup() }),
    }
    return { report, activity: this.#activity.activity() }
  }

  #periodBefore(): Report['before'] {
    const beforeMs = startBefore(this.#options)
    if (beforeMs < this.#options.eventsSinceMs) return null
    return { period: periodOf(beforeMs, this.#options.fromMs), ...countedIn(this.#before) }
  }

  #byGroup(): Report['by'] {
    return [...this.#groups]
      .sort(([one], [other]) => compareKeys(one, other))
      .map(([key, group]) => ({ key, ...countedIn(group) }))
  }
}

function countedIn(tally: MetricsTally): { deliveries: number; metrics: Metrics } {
  return { deliveries: tally.deliveries, metrics: tally.metrics() }
}

/** The start of the period of equal length before. */
function startBefore({ fromMs, toMs }: ReportOptions): number {
  return fromMs - (toMs - fromMs)
}

function periodOf(fromMs: number, toMs: number): Period {
  return { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() }
}

/** What of a gap is counted, in a sentence without its end; times as the caller writes them. */
export function gapText(from: string, to: string, events: number): string {
  return events === 0
    ? `The archive has no events from ${from} to ${to}: what began then is not counted`
    : `The events from ${from} to ${to} were not fetched: of what began then, only what a journal received is counted`
}
