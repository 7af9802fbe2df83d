import { isRecord } from '../../../shared/json.js'
import type { Backend } from '../backend.js'
import type { DeliveryIndex } from './delivery-index.js'
import type { Feed } from './feed.js'
import { eventItem } from './items.js'
import { type Source, whileWatched } from './polling.js'

/** Interval of polling an account's events while a page is open. */
const intervalMs = 4_000
/** Events are listed by when they occurred, so one that occurred a little earlier may appear a little later. */
const overlapMs = 60_000
const startMs = 3_600_000
const pageSize = 100

/**
 * Follows an account's list of events if the account is not a sandbox on this machine; pauses while no page is open.
 */
export function serviceSource(
  { client, nowMs }: Backend,
  feed: Feed,
  deliveries: DeliveryIndex,
  onError: (error: unknown) => void,
): Source {
  const seen = new Map<string, number>()
  let sinceMs: number | undefined

  async function read(isStopped: () => boolean): Promise<void> {
    sinceMs ??= (client.serviceNowMs() ?? nowMs()) - startMs
    const since = new Date(sinceMs).toISOString()
    for await (const page of client.pages('listEvents', { since, limit: pageSize })) {
      const fresh = page.events.filter(({ eventId }) => !seen.has(eventId))
      for (const { eventId, occurredAt } of fresh) seen.set(eventId, Date.parse(occurredAt))
      const items = fresh.map((listed) => eventItem(isRecord(listed.data) ? listed.data : listed, deliveries))
      const aheadMs = (client.serviceNowMs() ?? nowMs()) - Date.now()
      feed.push(
        items.filter((item) => item !== undefined),
        { aheadMs },
      )
      if (isStopped()) return
    }
    const newest = Math.max(sinceMs, ...seen.values())
    sinceMs = Math.max(sinceMs, newest - overlapMs)
    for (const [eventId, atMs] of seen) if (atMs < sinceMs - overlapMs) seen.delete(eventId)
  }

  return whileWatched(feed, intervalMs, read, onError, nowMs)
}
