import { dayMs } from '../../../shared/durations.js'
import { isRecord } from '../../../shared/json.js'
import type { Board, Point } from '../../wire/deliveries.js'
import { accountQuery } from '../backend.js'
import type { RouteCall } from '../route.js'
import { driverPositionIn } from './detail.js'

const boardDays = 14
/** Of deliveries that have ended, the newest are enough. */
const boardMost = 600

/** The deliveries of the last two weeks, as far as they are shown, and all that are under way: from the archive, as the list. */
export async function readBoard({ backend, deliveries }: RouteCall): Promise<Board> {
  deliveries.setPromises(backend.promises())
  const { deliveries: read, isCut } = await backend.board({ spanMs: boardDays * dayMs, most: boardMost })
  return { deliveries: read.map((delivery) => deliveries.take(delivery)), isCut }
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
