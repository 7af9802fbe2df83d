import type { LiveBacklog, LiveItem } from '../../wire/live.js'
import type { DeliveryIndex } from '../feed/delivery-index.js'
import type { Route } from '../route.js'

/** More than a page keeps. */
const pageItems = 2_000

export const liveRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/live',
    async handle({ backend, feed, deliveries, query, look }): Promise<LiveBacklog> {
      // A sandbox answers at once; an account's news come by the stream.
      if (!feed.isWatched && backend.control !== undefined) await look()
      feed.noteSeen()
      const after = Number(query.get('after') ?? 0)
      const items = (feed.after(after) ?? feed.backlog()).slice(-pageItems)
      return { items: items.map((item) => withReference(item, deliveries)), lastId: feed.lastId, reading: feed.reading }
    },
  },
]

/** A listener's item has no reference; adds the one that may have become known since. */
function withReference(item: LiveItem, deliveries: DeliveryIndex): LiveItem {
  if (item.reference !== undefined || item.deliveryId === undefined) return item
  const reference = deliveries.get(item.deliveryId)?.reference
  return reference === undefined ? item : { ...item, reference }
}
