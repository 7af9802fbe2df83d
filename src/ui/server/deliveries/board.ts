import { deliveryStatuses } from '../../../contract/internal.js'
import { dayMs } from '../../../shared/durations.js'
import { isRecord } from '../../../shared/json.js'
import { endedBadly, isActive } from '../../../trade/statuses.js'
import type { Board, Point } from '../../wire/deliveries.js'
import { accountQuery } from '../backend.js'
import { serviceNowMs } from '../clock.js'
import type { RouteCall } from '../route.js'
import { driverPositionIn, insideOf } from './detail.js'

const boardDays = 14
/** Pages may be short. */
const boardPages = 30
const boardMost = 600
/** Deliveries of one status that are read beyond those, since they are still under way. */
const activeMost = 1_000
/** Together they are more requests than an account may send in a second. */
const patiently = { maxWaitMs: 10_000 }

/** The deliveries of the last two weeks, as far as they are read, and all that are under way. */
export async function readBoard(call: RouteCall): Promise<Board> {
  const { backend, deliveries } = call
  deliveries.setPromises(backend.promises())
  const nowMs = await serviceNowMs(backend)
  const from = new Date(nowMs - boardDays * dayMs).toISOString()
  const ids: string[] = []
  let isCut = false
  let pages = 0
  for await (const page of backend.client.pages('listDeliveries', { from, limit: 100 }, patiently)) {
    for (const delivery of page.deliveries) if (deliveries.note(delivery) !== undefined) ids.push(delivery.deliveryId)
    const isFull = ++pages >= boardPages || ids.length >= boardMost
    isCut = isFull && page.nextCursor !== null
    if (isFull) break
  }
  if (isCut) {
    const read = new Set(ids)
    const active = await Promise.all(deliveryStatuses.filter(isActive).map((status) => idsOf(call, { status, from })))
    ids.push(...active.flat().filter((deliveryId) => !read.has(deliveryId)))
  }
  await completeSummaries(call, ids)
  return { deliveries: ids.flatMap((deliveryId) => deliveries.get(deliveryId) ?? []), isCut }
}

async function idsOf(
  { backend, deliveries }: RouteCall,
  query: { status: (typeof deliveryStatuses)[number]; from: string },
): Promise<string[]> {
  const ids: string[] = []
  for await (const page of backend.client.pages('listDeliveries', { ...query, limit: 100 }, patiently)) {
    for (const delivery of page.deliveries) if (deliveries.note(delivery) !== undefined) ids.push(delivery.deliveryId)
    if (ids.length >= activeMost) break
  }
  return ids
}

/** Adds store, reason and ETA to active and failed deliveries that no event has told of. Costs a sandbox nothing. */
async function completeSummaries(call: RouteCall, deliveryIds: readonly string[]): Promise<void> {
  const { backend, deliveries } = call
  if (backend.control === undefined) return
  const unknown = deliveryIds.filter((deliveryId) => {
    const known = deliveries.get(deliveryId)
    return known !== undefined && known.store === undefined && (isActive(known.status) || endedBadly(known.status))
  })
  for (const inside of await Promise.all(unknown.map((deliveryId) => insideOf(call, deliveryId)))) {
    if (inside === undefined) continue
    const { autopilot } = inside
    const eta = isRecord(autopilot) && isRecord(autopilot.eta) ? autopilot.eta.dropoffMs : undefined
    deliveries.note(inside, typeof eta === 'number' ? { eta: { dropoff: new Date(eta).toISOString() } } : {})
  }
}

/** The newest events that are searched for positions. */
const searched = 4_000

/**
 * The newest positions of the drivers of a store's deliveries under way, oldest first. Read from a sandbox only: of an
 * account, the page draws what it sees itself.
 */
export async function readTrails(call: RouteCall): Promise<{ trails: Record<string, Point[]> }> {
  const { backend, deliveries, query } = call
  if (backend.control === undefined) return { trails: {} }
  const newest = `/changes${accountQuery(backend) || '?'}&limit=${searched}`
  const recorded = (await backend.control('GET', newest)) as { events: { event: unknown }[] }
  const trails = new Map(
    deliveries.underWay(query.get('store') ?? '').map(({ deliveryId }) => [deliveryId, [] as Point[]]),
  )
  for (const { event } of recorded.events) {
    if (!isRecord(event) || event.eventType !== 'delivery.driver_location_updated') continue
    const deliveryId = isRecord(event.delivery) ? event.delivery.deliveryId : undefined
    const position = driverPositionIn(event)
    if (position !== undefined) trails.get(String(deliveryId))?.push(position)
  }
  return { trails: Object.fromEntries([...trails].filter(([, trail]) => trail.length > 0)) }
}
