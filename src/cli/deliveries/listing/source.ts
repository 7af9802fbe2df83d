import type { Client, QueryOf } from '../../../client/index.js'
import { type DeliveryListItem, type KnownDeliveryStatus, limits } from '../../../contract/index.js'
import type { Listing } from './filters.js'

/** `status` is the listing's own. */
type Query = QueryOf<'listDeliveries'> & { status?: undefined }

/**
 * The list items of a query, newest first. Statuses without a group are left to the service: it takes one at a time, so
 * that several are several lists, merged by their times. A group is found among all items.
 */
export function itemsOf(
  client: Client,
  query: Query,
  { statuses, active, problem }: Listing,
): AsyncGenerator<DeliveryListItem> {
  const page = { ...query, limit: limits.pageSizeMax }
  if (active || problem || statuses.length === 0) return client.each('listDeliveries', page)
  return merged(
    statuses.map((status) => client.each('listDeliveries', { ...page, status: status as KnownDeliveryStatus })),
  )
}

/** Lists that are each newest first as one; a delivery that changed its list meanwhile appears once. */
async function* merged(lists: readonly AsyncGenerator<DeliveryListItem>[]): AsyncGenerator<DeliveryListItem> {
  const heads = await Promise.all(lists.map((list) => list.next()))
  let last: string | undefined
  let seen = new Set<string>()
  for (;;) {
    const newest = heads.reduce<number>((best, { done, value }, index) => {
      if (done) return best
      return best === -1 || createdMs(value) > createdMs(heads[best]?.value) ? index : best
    }, -1)
    const list = lists[newest]
    const item: DeliveryListItem | undefined = heads[newest]?.value ?? undefined
    if (list === undefined || item === undefined) return
    // The same delivery has the same time in both lists, so that only neighbours are compared.
    if (item.createdAt !== last) seen = new Set()
    last = item.createdAt ?? undefined
    if (!seen.has(item.deliveryId)) yield item
    seen.add(item.deliveryId)
    heads[newest] = await list.next()
  }
}

function createdMs(item: DeliveryListItem | undefined): number {
  const atMs = Date.parse(item?.createdAt ?? '')
  return Number.isNaN(atMs) ? 0 : atMs
}
