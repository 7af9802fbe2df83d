import { deliveryRowsOf, searchText } from '../../../archive/index.js'
import type { Client, QueryOf } from '../../../client/index.js'
import { type Delivery, type DeliveryListItem, type KnownDeliveryStatus, limits } from '../../../contract/index.js'
import { oldestSinceMs } from '../../../contract/internal.js'
import { valueAt } from '../../../render/view.js'
import { isRecord } from '../../../shared/json.js'
import { foldedText, type SearchText } from '../../../shared/texts.js'
import { accessOrderOf } from '../../../trade/obstacles.js'
import { type Problem, problemOf, standingOf } from '../../../trade/problems.js'
import { promiseOf, timeMsOf } from '../../../trade/promise.js'
import { isActive } from '../../../trade/statuses.js'
import type { Judging } from '../problem-rules.js'
import { affectedOf, type Chosen, type Eta, type ListedDelivery, partOf, severityOf, type Wanted } from './chosen.js'
import { type Listing, needsDetails, statusFits } from './filters.js'

/**
 * The deliveries of the service's list, or of these items of it, that belong to a list, newest first; each is read if the
 * list needs more than an item has.
 */
export async function* fromService(
  client: Client,
  query: Query | readonly DeliveryListItem[],
  wanted: Wanted,
): AsyncGenerator<Chosen> {
  const { listing, nowMs, judging, columns, sent, installations, change } = wanted
  const { store, installation, search, parts, problem } = listing
  for await (const item of isItems(query) ? query : itemsOf(client, query, listing)) {
    const fits = statusFits(listing, item.status)
    if (fits === false) continue
    if (!needsDetails(listing, columns)) {
      yield { row: item, store: undefined, complete: () => Promise.resolve(item) }
      continue
    }
    const whole = await client.getDelivery({ deliveryId: item.deliveryId })
    if (search !== undefined && !isIn(search, whole)) continue
    if (store !== undefined && whole.pickup?.storeReference !== store) continue
    if (installation !== undefined && installations.codeOf(whole) !== installation) continue
    const isWhole = columns.every((path) => valueAt(item, path) !== undefined)
    const row: ListedDelivery = isWhole ? { ...item } : { ...whole, ...item }
    let worse: Chosen['problem']
    if (problem) {
      const found = await problemOfDelivery(whole, judging, nowMs, () => firstEtaMsOf(client, whole, nowMs))
      worse = severityOf(standingOf(whole), found, nowMs)
      if (fits === 'judge' && (worse === undefined || worse.isPast)) continue
      row.problem = found?.text ?? null
    }
    if (change !== undefined) {
      const window = judging.promises?.windows?.get(item.clientOrderReference ?? '')
      const affected = affectedOf(change, accessOrderOf(whole, change.installation.code, { window }), nowMs)
      if (affected === undefined) continue
      Object.assign(row, affected)
    }
    const complete = async () => {
      for (const part of parts) {
        if (part === 'eta') row.eta = (await etasOf(client, item, nowMs)).at(-1) ?? null
        else if (part === 'sent') row.sent = sent(item)
        else Object.assign(row, partOf(part, whole))
      }
      return row
    }
    yield { row, store: whole.pickup?.storeReference ?? undefined, problem: worse, complete }
  }
}

const isItems = (query: Query | readonly DeliveryListItem[]): query is readonly DeliveryListItem[] =>
  Array.isArray(query)

/** `status` is the listing's own. */
type Query = QueryOf<'listDeliveries'> & { status?: undefined }

/**
 * The list items of a query, newest first. Statuses without a group are left to the service: it takes one at a time, so
 * that several are several lists, merged by their times. A group is found among all items.
 */
function itemsOf(
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

/** The problem of a delivery; its first ETA is requested only if nothing else promises a time. */
export async function problemOfDelivery(
  delivery: Delivery,
  { promises, limits: stuck }: Judging,
  nowMs: number,
  firstEtaMs: () => Promise<number | undefined>,
): Promise<Problem | undefined> {
  const standing = standingOf(delivery, promises)
  const promise = standing.promise ?? promiseOf({ firstEtaMs: await firstEtaMs() })
  return problemOf({ ...standing, promise }, nowMs, stuck)
}

/** The first ETA of an active delivery, from its events. */
export async function firstEtaMsOf(
  client: Client,
  { deliveryId, status, createdAt }: DeliveryListItem,
  nowMs: number,
): Promise<number | undefined> {
  const [first] = await etasOf(client, { deliveryId, status, createdAt }, nowMs, 1)
  return typeof first?.dropoff === 'string' ? timeMsOf(first.dropoff) : undefined
}

/** The ETAs of a delivery that is under way, oldest first. */
async function etasOf(
  client: Client,
  { deliveryId, status, createdAt }: Pick<DeliveryListItem, 'deliveryId' | 'status' | 'createdAt'>,
  nowMs: number,
  most?: number,
): Promise<NonNullable<Eta>[]> {
  if (!isActive(status)) return []
  const oldestMs = oldestSinceMs(nowMs)
  const sinceMs = Math.max(oldestMs, timeMsOf(createdAt) ?? oldestMs)
  const etas: NonNullable<Eta>[] = []
  const events = client.each('listEvents', {
    deliveryId,
    eventType: ['delivery.eta_updated'],
    since: new Date(sinceMs).toISOString(),
    limit: most ?? limits.pageSizeMax,
  })
  for await (const { data } of events) {
    const eta = isRecord(data) ? data.eta : undefined
    if (isRecord(eta)) etas.push(eta)
    if (etas.length === most) break
  }
  return etas
}

function isIn({ text, digits }: SearchText, delivery: Delivery): boolean {
  const person = deliveryRowsOf({ ...delivery })?.person
  const found = `${foldedText(delivery.clientOrderReference ?? '')}\n${person === undefined ? '' : searchText(person)}`
  return found.includes(text) || (digits !== undefined && found.includes(digits))
}
