import type { Client } from '../../client/index.js'
import { statusEventTypes } from '../../contract/index.js'
import { activeStatuses } from '../../render/board-stages.js'
import { hourMs, minuteMs } from '../../shared/durations.js'
import type { EventService } from '../events/event-service.js'
import { tailEvents } from '../events/tail.js'
import type { BoardOrders } from './orders.js'

/** Driver locations, which are most of a day's events, say nothing that the board shows. */
const eventType = [...statusEventTypes, 'delivery.eta_updated']

/** How far back events are read for orders under way, in steps: most orders are young. */
const lookBacksMs = [hourMs, 3 * hourMs, 12 * hourMs]
/** Requests for past events; orders that are older than these events appear without driver and ETA. */
const pagesMax = 60

export interface FeedOptions {
  orders: BoardOrders
  /** Orders created before this are left out. */
  fromMs: number
  /** The service's clock. */
  nowMs(): number
  signal: AbortSignal
  onChange(): void
}

/** Reads what is under way: a list for each active status, which is a dozen requests for a few hundred orders. */
export async function loadActive(client: Client, { orders, fromMs, onChange }: FeedOptions): Promise<Set<string>> {
  const listed = new Set<string>()
  const from = new Date(fromMs).toISOString()
  for (const status of activeStatuses)
    for await (const item of client.each('listDeliveries', { from, status, limit: 100 })) {
      listed.add(item.deliveryId)
      orders.list(item)
      onChange()
    }
  return listed
}

/** Reads past events, the newest first, until every order's driver and ETA are known or enough have been read. */
export async function loadDetails(client: Client, options: FeedOptions): Promise<void> {
  const { orders, onChange, signal } = options
  const nowMs = options.nowMs()
  let pages = 0
  let untilMs = nowMs
  for (const backMs of lookBacksMs) {
    const sinceMs = nowMs - backMs
    const query = {
      since: new Date(sinceMs).toISOString(),
      until: new Date(untilMs).toISOString(),
      eventType,
      limit: 100,
    }
    for await (const page of client.pages('listEvents', query)) {
      for (const event of page.events) orders.see(event, nowMs)
      onChange()
      if (++pages >= pagesMax || signal.aborted) return
    }
    if (orders.bare() === 0) return
    untilMs = sinceMs
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
    { eventType },
    { sinceMs: nowMs() - minuteMs, intervalMs, signal, onError: onProblem, warn: () => {} },
  )
  for await (const event of events) {
    orders.see(event, nowMs())
    onChange()
  }
}
