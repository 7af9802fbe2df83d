import { dayMs } from '../../../shared/durations.js'
import { isRecord } from '../../../shared/json.js'
import { amountText } from '../../../shared/texts.js'
import { isActive } from '../../../trade/statuses.js'
import type { Board, Done, Point } from '../../wire/deliveries.js'
import { type CancellationCost, type ListPage, type SortColumn, sortColumns } from '../../wire/list.js'
import { accountQuery, type Backend } from '../backend.js'
import { Refused, type RouteCall } from '../route.js'
import { matchingEvents, sendEvents } from '../webhooks/send-again.js'
import { driverPositionIn } from './detail.js'

const mostRows = 500
/** Deliveries that one action is for. */
const mostSelected = 200
/** Requests at the same time. */
const atOnce = 4

/** A page of all deliveries of the archive. */
export async function readList({ backend, query }: RouteCall): Promise<ListPage> {
  const page = await backend.list(listAsked(query))
  return { ...page, rows: page.rows.map(({ place: _, ...row }) => row) }
}

export function listAsked(query: URLSearchParams): Omit<Parameters<Backend['list']>[0], 'isStale'> {
  const sort = query.get('sort') ?? 'created_at'
  if (!(sortColumns as readonly string[]).includes(sort))
    throw new Refused(400, 'VALIDATION_ERROR', `sort must be one of ${sortColumns.join(', ')}.`)
  return {
    sort: sort as SortColumn,
    isDescending: query.get('order') !== 'asc',
    after: query.get('after') ?? undefined,
    limit: Math.min(mostRows, Math.max(1, Number(query.get('limit') ?? mostRows) || mostRows)),
    search: query.get('q') ?? '',
  }
}

/** What cancelling some deliveries costs now. */
export async function readCancellation(call: RouteCall): Promise<CancellationCost> {
  const ids = selectedIn(call.query.get('ids')?.split(',') ?? [])
  const cost: CancellationCost = { deliveryIds: [], feeCents: 0, currency: null, withoutFee: 0 }
  await forEach(ids, async (deliveryId) => {
    const { status, pricing } = await call.backend.client.getDelivery({ deliveryId })
    if (!isActive(status)) return
    cost.deliveryIds.push(deliveryId)
    cost.currency ??= pricing?.currency ?? null
    if (pricing?.cancellationFeeCents == null) cost.withoutFee++
    else cost.feeCents += pricing.cancellationFeeCents
  })
  return { ...cost, deliveryIds: ids.filter((id) => cost.deliveryIds.includes(id)) }
}

/** Cancels each; what one of them is refused for holds back no other. */
export async function cancelSelected(call: RouteCall): Promise<Done> {
  const ids = selectedIn(call.body.deliveryIds)
  let [cancelled, feeCents] = [0, 0]
  const failures: string[] = []
  await forEach(ids, async (deliveryId) => {
    try {
      const { pricing } = await call.backend.client.cancelDelivery({
        deliveryId,
        body: { reason: 'customer_cancelled' },
      })
      cancelled++
      feeCents += pricing?.cancellationFeeCents ?? 0
    } catch (error) {
      failures.push(`${deliveryId}: ${error instanceof Error ? error.message : String(error)}`)
    }
  })
  const message = `Cancelled ${cancelled} of ${ids.length}, fees $${amountText(feeCents)}.`
  if (failures.length > 0) throw new Refused(422, 'NOT_CANCELLED', `${message} ${failures.slice(0, 3).join(' ')}`)
  return { message }
}

/** Sends the webhooks of some deliveries once more, the oldest first. */
export async function replaySelected({ backend, body }: RouteCall): Promise<Done> {
  const ids = new Set(selectedIn(body.deliveryIds))
  const { events } = await matchingEvents(backend, '')
  return sendEvents(
    backend,
    events.filter(({ deliveryId }) => deliveryId !== null && ids.has(deliveryId)),
  )
}

function selectedIn(ids: unknown): string[] {
  const known = Array.isArray(ids) ? ids.filter((id) => typeof id === 'string' && id !== '') : []
  if (known.length === 0 || known.length > mostSelected)
    throw new Refused(400, 'VALIDATION_ERROR', `Select 1 to ${mostSelected} deliveries.`)
  return known
}

async function forEach(ids: readonly string[], act: (id: string) => Promise<void>): Promise<void> {
  const waiting = [...ids]
  const worker = async () => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) await act(id)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

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
  const newest = `/changes${accountQuery(backend, { limit: String(searched) })}`
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
