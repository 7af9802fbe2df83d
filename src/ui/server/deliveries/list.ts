import { amountText } from '../../../shared/texts.js'
import { isActive } from '../../../trade/statuses.js'
import type { Done } from '../../wire/deliveries.js'
import { type CancellationCost, type ListPage, type SortColumn, sortColumns } from '../../wire/list.js'
import { Refused, type RouteCall } from '../route.js'
import { sendEvents } from '../webhooks/send-again.js'
import { matchingEvents } from '../webhooks/sent-events.js'

const mostRows = 500
/** Deliveries that one action is for. */
const mostSelected = 200
/** Requests at the same time. */
const atOnce = 4

/** A page of all deliveries of the archive. */
export function readList({ backend, query }: RouteCall): Promise<ListPage> {
  const sort = query.get('sort') ?? 'created_at'
  if (!(sortColumns as readonly string[]).includes(sort))
    throw new Refused(400, 'VALIDATION_ERROR', `sort must be one of ${sortColumns.join(', ')}.`)
  return backend.list({
    sort: sort as SortColumn,
    isDescending: query.get('order') !== 'asc',
    after: query.get('after') ?? undefined,
    limit: Math.min(mostRows, Math.max(1, Number(query.get('limit') ?? mostRows) || mostRows)),
    search: query.get('q') ?? '',
  })
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
  const events = await matchingEvents(backend, '')
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
