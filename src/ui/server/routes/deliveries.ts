import {
  type Delivery,
  DeliveryCreate,
  type DeliveryUpdate,
  type InputOf,
  isKnownDeliveryStatus,
  limits,
  milestoneIndex,
  reachableStatuses,
  reasonCodesFor,
  terminalStatuses,
} from '../../../contract/index.js'
import { isRecord } from '../../../shared/json.js'
import { maskNamesAndPhones } from '../../../webhooks/internal.js'
import type { Board, DeliveryDetail, Done, FormField, Move, Point } from '../../wire/deliveries.js'
import { formOf } from '../forms.js'
import { parameter, Refused, type Route, type RouteCall, textOf } from '../route.js'

const dayMs = 86_400_000
const boardDays = 14
const boardPages = 6
const eventPages = 4

export const deliveryRoutes: readonly Route[] = [
  { method: 'GET', path: '/deliveries', handle: board },
  { method: 'GET', path: '/deliveries/:deliveryId', handle: detail },
  { method: 'GET', path: '/deliveries/:deliveryId/proofs/:index', handle: proof },
  {
    method: 'GET',
    path: '/forms/order',
    handle: ({ backend }) => ({ fields: orderForm(backend.exampleOrder, backend.nowMs()) }),
  },
  { method: 'POST', path: '/deliveries', handle: create },
  { method: 'POST', path: '/deliveries/:deliveryId/simulate', handle: simulate },
  { method: 'POST', path: '/deliveries/:deliveryId/update', handle: update },
  { method: 'POST', path: '/deliveries/:deliveryId/cancel', handle: cancel },
]

async function board(call: RouteCall): Promise<Board> {
  const { backend, deliveries } = call
  const nowMs = await serviceNowMs(backend)
  const from = new Date(nowMs - boardDays * dayMs).toISOString()
  const ids: string[] = []
  let isCut = false
  let pages = 0
  for await (const page of backend.client.pages('listDeliveries', { from, limit: 100 })) {
    for (const delivery of page.deliveries) if (deliveries.note(delivery) !== undefined) ids.push(delivery.deliveryId)
    isCut = ++pages >= boardPages && page.nextCursor !== null
    if (pages >= boardPages) break
  }
  await completeSummaries(call, ids)
  return { deliveries: ids.flatMap((deliveryId) => deliveries.get(deliveryId) ?? []), isCut }
}

/** So many deliveries are asked for one by one: those that need somebody's attention. */
const completedMost = 60
const quiet: ReadonlySet<string> = new Set(['delivered', 'cancelled', 'returned', 'expired'])

/** Adds store, reason and ETA to active and failed deliveries that no event has told of. Costs a sandbox nothing. */
async function completeSummaries(call: RouteCall, deliveryIds: readonly string[]): Promise<void> {
  const { backend, deliveries } = call
  if (backend.control === undefined) return
  const unknown = deliveryIds.filter((deliveryId) => {
    const known = deliveries.get(deliveryId)
    return known !== undefined && known.store === undefined && !quiet.has(known.status)
  })
  for (const deliveryId of unknown.slice(0, completedMost)) {
    const inside = await insideOf(call, deliveryId)
    if (inside === undefined) continue
    const { autopilot } = inside
    const eta = isRecord(autopilot) && isRecord(autopilot.eta) ? autopilot.eta.dropoffMs : undefined
    deliveries.note(inside, typeof eta === 'number' ? { dropoff: new Date(eta).toISOString() } : undefined)
  }
}

async function serviceNowMs({ control, client, nowMs }: RouteCall['backend']): Promise<number> {
  if (control === undefined) return client.serviceNowMs() ?? nowMs()
  const clock = await control('GET', '/clock')
  return isRecord(clock) ? Date.parse(String(clock.now)) : nowMs()
}

async function detail(call: RouteCall): Promise<DeliveryDetail> {
  const { backend, feed, query } = call
  const deliveryId = parameter(call, 'deliveryId')
  const isMasked = query.get('unmask') !== '1'
  const [delivery, inside] = await Promise.all([backend.client.getDelivery({ deliveryId }), insideOf(call, deliveryId)])
  const shown = <Value>(value: Value): Value => (isMasked ? maskNamesAndPhones(value) : value)
  const events = await eventsOf(call, deliveryId, delivery.createdAt)
  const order = shown(
    orderOf(inside) ?? { dropoff: delivery.dropoff, tipAmountCents: delivery.pricing?.tipAmountCents },
  )
  const hasEnded = terminalStatuses.has(delivery.status)
  return {
    delivery: shown(delivery),
    isMasked,
    moves: backend.environment === 'production' ? [] : await movesOf(call, delivery, inside),
    editable: backend.readOnly || hasEnded ? [] : editableFields(delivery, order),
    canCancel: !backend.readOnly && !hasEnded,
    cancellationFeeNowCents: hasEnded ? null : (delivery.pricing?.cancellationFeeCents ?? null),
    package: isRecord(order.package) ? order.package : null,
    events: events.map(({ eventId, eventType, occurredAt, lastDeliveryStatus, deliveryAttempts }) => ({
      eventId,
      eventType,
      occurredAt,
      lastDeliveryStatus: lastDeliveryStatus ?? null,
      deliveryAttempts: deliveryAttempts ?? null,
    })),
    requests: feed.backlog().filter((item) => item.kind === 'request' && item.deliveryId === deliveryId),
    etas: events.flatMap(({ data, occurredAt }) => {
      if (!isRecord(data) || !isRecord(data.eta)) return []
      const { pickup, dropoff } = data.eta
      return [{ at: occurredAt, pickup: textOrNull(pickup), dropoff: textOrNull(dropoff) }]
    }),
    trail: events.flatMap(({ data, eventType, occurredAt }) => {
      const place = eventType === 'delivery.driver_location_updated' ? locationIn(data) : undefined
      return place === undefined ? [] : [{ ...place, at: occurredAt }]
    }),
    route: routeOf(inside),
  }
}

/** The order without what the service keeps beside it. */
const orderMembers = [
  'pickup',
  'dropoff',
  'timeWindows',
  'package',
  'dispatch',
  'verification',
  'handling',
  'tipAmountCents',
  'metadata',
]

function orderOf(inside: Record<string, unknown> | undefined): Record<string, unknown> | undefined {
  if (inside === undefined) return undefined
  return Object.fromEntries(Object.entries(inside).filter(([name]) => orderMembers.includes(name)))
}

/** What a sandbox tells of a delivery beyond the contract. */
async function insideOf({ backend }: RouteCall, deliveryId: string): Promise<Record<string, unknown> | undefined> {
  const inside = await backend.control?.('GET', `/deliveries/${encodeURIComponent(deliveryId)}`)
  return isRecord(inside) ? inside : undefined
}

async function eventsOf({ backend }: RouteCall, deliveryId: string, createdAt: string | null | undefined) {
  const nowMs = await serviceNowMs(backend)
  const oldestMs = nowMs - (limits.eventRetentionDays - 0.02) * dayMs
  const createdMs = Date.parse(createdAt ?? '')
  const since = new Date(Math.max(oldestMs, Number.isNaN(createdMs) ? oldestMs : createdMs - 60_000)).toISOString()
  const events = []
  let pages = 0
  for await (const page of backend.client.pages('listEvents', { deliveryId, since, limit: 100 })) {
    events.push(...page.events)
    if (++pages >= eventPages) break
  }
  return events
}

async function movesOf(
  { backend }: RouteCall,
  { status, statusHistory }: Pick<Delivery, 'status' | 'statusHistory'>,
  inside: Record<string, unknown> | undefined,
): Promise<Move[]> {
  if (!isKnownDeliveryStatus(status)) return []
  const told = inside?.reachableStatuses
  const reachable = Array.isArray(told)
    ? told.map(String)
    : reachableStatuses(status, {
        returns: (await backend.client.getCapabilities()).capabilities.returns === true,
        pickedUp: (statusHistory ?? []).some((entry) => entry.status === 'pickup_complete'),
      })
  const isMilestone = (name: string) => milestoneIndex(name) >= 0
  return [...reachable.filter(isMilestone), ...reachable.filter((name) => !isMilestone(name))].map((name) => ({
    status: name,
    reasons: reasonCodesFor(name),
  }))
}

const fixed = ['clientOrderReference', 'quoteId', 'dispatch']
const changeableAfterPickup = ['dropoff.contactPhone', 'dropoff.instructions', 'tipAmountCents']

/** The fields that an update may change at this stage, with their present values. */
function editableFields(delivery: { status: string }, order: unknown): FormField[] {
  const isPickedUp =
    delivery.status === 'return_in_progress' || milestoneIndex(delivery.status) >= milestoneIndex('pickup_complete')
  return formOf(DeliveryCreate, order)
    .filter(({ path }) =>
      isPickedUp
        ? changeableAfterPickup.includes(path)
        : !fixed.some((name) => path === name || path.startsWith(`${name}.`)),
    )
    .map((field) => ({ ...field, required: false }))
}

function locationIn(data: unknown): Point | undefined {
  const delivery = isRecord(data) && isRecord(data.delivery) ? data.delivery : {}
  const driver = isRecord(delivery.driver) ? delivery.driver : {}
  return pointOf(driver.location)
}

function pointOf(value: unknown): Point | undefined {
  if (!isRecord(value)) return undefined
  const { latitude, longitude } = value
  return typeof latitude === 'number' && typeof longitude === 'number' ? { latitude, longitude } : undefined
}

function routeOf(inside: Record<string, unknown> | undefined): DeliveryDetail['route'] {
  const route = isRecord(inside?.route) ? inside.route : {}
  const [store, stop] = [pointOf(route.store), pointOf(route.stop)]
  return store === undefined || stop === undefined ? null : { store, stop }
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** Most that a proof image may take, in bytes. */
const maxImageBytes = 16_777_216

async function proof(call: RouteCall): Promise<Blob> {
  const { proofOfDelivery } = await call.backend.client.getDelivery({ deliveryId: parameter(call, 'deliveryId') })
  const url = (proofOfDelivery ?? [])[Number(call.parameters.index)]?.url
  if (url == null) throw new Refused(404, 'NOT_FOUND', 'This proof has no image.')
  const { contentType, body } = await call.backend.download(url)
  if (!/^image\/(?:svg\+xml|png|jpeg|webp|gif)\b/.test(contentType))
    throw new Refused(422, 'REFUSED', `This proof is ${contentType || 'of no known type'}, not an image.`)
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > maxImageBytes) throw new Refused(422, 'REFUSED', 'This image is larger than 16 MB.')
    chunks.push(new Uint8Array(chunk))
  }
  return new Blob(chunks, { type: contentType })
}

function orderForm(example: unknown, nowMs: number): FormField[] {
  const reference = `ORDER-${nowMs.toString(36).slice(-6).toUpperCase()}`
  return formOf(DeliveryCreate, { ...(isRecord(example) ? example : {}), clientOrderReference: reference })
}

async function create(call: RouteCall): Promise<Done> {
  const { order, idempotencyKey } = call.body
  if (!isRecord(order)) throw new Refused(400, 'VALIDATION_ERROR', 'order must be an object.')
  const { deliveryId, status, clientOrderReference } = await call.backend.client.createDelivery({
    body: order,
    idempotencyKey: typeof idempotencyKey === 'string' ? idempotencyKey : crypto.randomUUID(),
  } as unknown as InputOf<'createDelivery'>)
  return { message: `Created ${clientOrderReference ?? deliveryId}: ${status}.`, deliveryId }
}

async function simulate(call: RouteCall): Promise<Done> {
  const { statusReasonCode } = call.body
  const body = {
    advanceTo: textOf(call, 'advanceTo'),
    ...(typeof statusReasonCode === 'string' && statusReasonCode !== '' ? { statusReasonCode } : {}),
  }
  const deliveryId = parameter(call, 'deliveryId')
  const input = { deliveryId, body } as unknown as InputOf<'simulateDelivery'>
  const { status, emittedEvents } = await call.backend.client.simulateDelivery(input)
  const count = emittedEvents.length
  return { message: `Advanced to ${status}: ${count} ${count === 1 ? 'event' : 'events'}.`, deliveryId }
}

async function update(call: RouteCall): Promise<Done> {
  const { changes } = call.body
  if (!isRecord(changes) || Object.keys(changes).length === 0)
    throw new Refused(400, 'VALIDATION_ERROR', 'No field was changed.')
  const deliveryId = parameter(call, 'deliveryId')
  const { status } = await call.backend.client.updateDelivery({ deliveryId, body: changes as DeliveryUpdate })
  return { message: `Saved. The delivery is ${status}.`, deliveryId }
}

async function cancel(call: RouteCall): Promise<Done> {
  const { reason, reasonNotes } = call.body
  const deliveryId = parameter(call, 'deliveryId')
  const body = {
    ...(typeof reason === 'string' && reason !== '' ? { reason } : {}),
    ...(typeof reasonNotes === 'string' && reasonNotes !== '' ? { reasonNotes } : {}),
  }
  const { status, pricing } = await call.backend.client.cancelDelivery({ deliveryId, body })
  const fee = pricing?.cancellationFeeCents
  const cost = fee == null ? '' : fee === 0 ? ' No fee.' : ` Fee $${(fee / 100).toFixed(2)}.`
  return { message: `The delivery is ${status}.${cost}`, deliveryId }
}
