import type { Client } from '../../client/index.js'
import { type DeliveryListItem, deliveryStatuses, limits, statusEventTypes } from '../../contract/index.js'
import { dayMs, hourMs, minuteMs } from '../../shared/durations.js'
import { endedBadly, isActive } from '../../trade/statuses.js'
import type { EventService } from '../events/event-service.js'
import { tailEvents } from '../events/tail.js'
import type { BoardOrders } from './orders.js'

/**
 * How far back events are read for orders under way, in steps: most orders are young. The first step reads every type, for
 * the drivers' last positions and types that a newer service has added; positions are most of a day's events.
 */
const lookBacks: readonly { backMs: number; eventType?: string[] }[] = [
  { backMs: 15 * minuteMs },
  ...[hourMs, 3 * hourMs].map((backMs) => ({
    backMs,
    eventType: [...statusEventTypes, 'delivery.eta_updated'],
  })),
]
/** Requests for past events at most. */
const pagesMax = 60
/** Orders that are older than these events, and are read one by one. */
const readsMax = 40

/** The newest deliveries that are listed whatever their status is: the service filters by statuses that are known. */
const newestPages = 10

export interface FeedOptions {
  orders: BoardOrders
  /** Orders created before this are left out. */
  fromMs: number
  /** The service's clock. */
  nowMs(): number
  signal: AbortSignal
  onChange(): void
}

/**
 * Reads what is under way: the newest deliveries, and if that is not all of the period, a list for each status that a
 * board shows. Returns their ids.
 */
export async function loadActive(client: Client, { orders, fromMs, onChange }: FeedOptions): Promise<Set<string>> {
  const listed = new Set<string>()
  const query = { from: new Date(fromMs).toISOString(), limit: limits.pageSizeMax }
  const take = (item: DeliveryListItem) => {
    if (isActive(item.status) || endedBadly(item.status)) listed.add(item.deliveryId)
    orders.list(item)
  }
  let pages = 0
  for await (const page of client.pages('listDeliveries', query)) {
    page.deliveries.forEach(take)
    onChange()
    if (++pages < newestPages || page.nextCursor == null) continue
    for (const status of deliveryStatuses.filter((name) => isActive(name) || endedBadly(name)))
      for await (const item of client.each('listDeliveries', { ...query, status })) {
        take(item)
        onChange()
      }
    break
  }
  return listed
}

/** Reads past events, the newest first, until every order's driver and ETA are known or enough have been read. */
export async function loadDetails(client: Client, options: FeedOptions): Promise<void> {
  const { orders, onChange, signal } = options
  const nowMs = options.nowMs()
  let pages = 0
  let untilMs = nowMs
  for (const { backMs, eventType } of lookBacks) {
    const sinceMs = nowMs - backMs
    const query = {
      since: new Date(sinceMs).toISOString(),
      until: new Date(untilMs).toISOString(),
      eventType,
      limit: limits.pageSizeMax,
    }
    for await (const page of client.pages('listEvents', query)) {
      for (const event of page.events) orders.see(event, nowMs)
      onChange()
      if (++pages >= pagesMax || signal.aborted) return
    }
    untilMs = sinceMs
    if (orders.needEventsBefore(sinceMs).length === 0) break
  }
  const oldestMs = nowMs - limits.eventRetentionDays * dayMs + hourMs
  for (const deliveryId of orders.needEventsBefore(untilMs).slice(0, readsMax)) {
    if (signal.aborted) return
    const delivery = await client.getDelivery({ deliveryId })
    orders.read(delivery)
    const createdMs = Date.parse(delivery.createdAt ?? '') || oldestMs
    const since = new Date(Math.max(oldestMs, createdMs)).toISOString()
    const query = { deliveryId, eventType: ['delivery.eta_updated'], since, limit: 1 }
    const { events } = isActive(delivery.status) ? await client.listEvents({ query }) : { events: [] }
    for (const event of events) orders.see(event, nowMs)
    onChange()
  }
}

/** Follows events until the signal; failures of the service are reported and outlasted. */
export async function followOrders(
  service: EventService,
  { orders, nowMs, signal, onChange }: FeedOptions,
  { intervalMs, onProblem }: { intervalMs: number; onProblem(error: unknown): void },
): Promise<void> {
  const events = tailEvents(
    service,
    {},
    { sinceMs: nowMs() - minuteMs, intervalMs, signal, onError: onProblem, warn: () => {} },
  )
  for await (const event of events) {
    orders.see(event, nowMs())
    onChange()
  }
}
