import { type Delivery, DeliveryCreate, type EventRecord, isKnownDeliveryStatus } from '../../../contract/index.js'
import { oldestSinceMs } from '../../../contract/internal.js'
import { isRecord, recordAt, textOf, timeAt } from '../../../shared/json.js'
import { standingOf } from '../../../trade/problems.js'
import { requestedWindow } from '../../../trade/promise.js'
import type { SentFacts } from '../../../trade/sent-facts.js'
import { isActive, isProblemStatus, type Move, movesTo, possibleMoves, toneOf } from '../../../trade/statuses.js'
import { hasHoles, type StoryFacts, stepsOf } from '../../../trade/story.js'
import { mayUpdate } from '../../../trade/updates.js'
import { webhookStatusOf } from '../../../trade/webhook-status.js'
import { maskNamesAndPhones } from '../../../webhooks/internal.js'
import type { DeliveryDetail, FormField, Point } from '../../wire/deliveries.js'
import { accountQuery } from '../backend.js'
import { serviceNowMs } from '../clock.js'
import { formOf } from '../forms.js'
import { parameter, Refused, type RouteCall } from '../route.js'

/** The sandbox's data on a delivery beyond the contract. */
export async function insideOf(
  { backend }: RouteCall,
  deliveryId: string,
): Promise<Record<string, unknown> | undefined> {
  const inside = await backend.control?.('GET', `/deliveries/${encodeURIComponent(deliveryId)}${accountQuery(backend)}`)
  return isRecord(inside) ? inside : undefined
}

/** Most that a proof image may take, in bytes. */
const maxImageBytes = 16_777_216

/** An image of the proof, fetched for the page, which makes no requests to other servers. */
export async function readProof(call: RouteCall): Promise<Blob> {
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

const eventPages = 4

/** Everything about one delivery, with what may be done to it. */
export async function readDelivery(call: RouteCall): Promise<DeliveryDetail> {
  const { backend, feed, query } = call
  const deliveryId = parameter(call, 'deliveryId')
  const isMasked = query.get('unmask') !== '1'
  const [delivery, inside] = await Promise.all([backend.client.getDelivery({ deliveryId }), insideOf(call, deliveryId)])
  const shown = <Value>(value: Value): Value => (isMasked ? maskNamesAndPhones(value) : value)
  const events = await eventsOf(call, deliveryId, delivery.createdAt)
  const order = shown(
    orderOf(inside) ?? { dropoff: delivery.dropoff, tipAmountCents: delivery.pricing?.tipAmountCents },
  )
  const statusHistory = stepsOf(delivery.statusHistory, events)
  const hasEnded = !isActive(delivery.status)
  const sent = backend.sent(delivery)
  return {
    // A history that cannot be read is filled from the events.
    delivery: shown(hasHoles(delivery.statusHistory) ? { ...delivery, statusHistory } : delivery),
    isMasked,
    story: storyFacts(call, { ...delivery, statusHistory }, events, inside, sent),
    explained: isUntoward(delivery.status) ? await backend.explain(delivery) : [],
    moves: backend.environment === 'production' ? [] : await movesOf(call, delivery, inside),
    editable: backend.readOnly || hasEnded ? [] : editableFields(delivery, order),
    canCancel: !backend.readOnly && !hasEnded,
    cancellationFeeNowCents: hasEnded ? null : (delivery.pricing?.cancellationFeeCents ?? null),
    package: isRecord(order.package) ? order.package : null,
    sent,
    events: events.map(({ eventId, eventType, occurredAt, lastDeliveryStatus, deliveryAttempts }) => ({
      eventId,
      eventType,
      occurredAt,
      lastDeliveryStatus: webhookStatusOf(lastDeliveryStatus, deliveryAttempts) ?? null,
      deliveryAttempts: deliveryAttempts ?? null,
    })),
    requests: feed.backlog().filter((item) => item.kind === 'request' && item.deliveryId === deliveryId),
    etas: events.flatMap(({ data, occurredAt }) => {
      if (!isRecord(data) || !isRecord(data.eta)) return []
      const { pickup, dropoff } = data.eta
      return [{ at: occurredAt, pickup: textOf(pickup) ?? null, dropoff: textOf(dropoff) ?? null }]
    }),
    trail: trailIn(events),
    route: routeOf(inside),
  }
}

/** In trouble, or ended without success. */
function isUntoward(status: string): boolean {
  return isProblemStatus(status) || (!isActive(status) && toneOf(status) !== 'good')
}

function storyFacts(
  { backend }: RouteCall,
  delivery: Delivery,
  events: readonly EventRecord[],
  inside: Record<string, unknown> | undefined,
  sent: SentFacts | null,
): StoryFacts {
  const etas = events.flatMap(({ data }) => timeAt(recordAt(data, 'eta'), 'dropoff') ?? [])
  const { pickup, dropoff } = delivery
  const window = requestedWindow(recordAt(inside ?? delivery, 'timeWindows')) ?? sent?.window
  const { installation } = dropoff ?? {}
  return {
    ...standingOf(delivery, backend.promises(), etas[0]),
    store: pickup?.storeReference ?? pickup?.businessName ?? undefined,
    gate: installation?.gate ?? installation?.code ?? sent?.installation ?? undefined,
    windowStartMs: timeAt(window, 'start'),
    etaMs: etas.at(-1),
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

export function orderOf(inside: Record<string, unknown> | undefined): Record<string, unknown> | undefined {
  if (inside === undefined) return undefined
  return Object.fromEntries(Object.entries(inside).filter(([name]) => orderMembers.includes(name)))
}

function trailIn(events: readonly EventRecord[]): DeliveryDetail['trail'] {
  return events.flatMap(({ data, eventType, occurredAt }) => {
    const place = eventType === 'delivery.driver_location_updated' ? driverPositionIn(data) : undefined
    return place === undefined ? [] : [{ ...place, at: occurredAt }]
  })
}

async function eventsOf({ backend }: RouteCall, deliveryId: string, createdAt: string | null | undefined) {
  const nowMs = await serviceNowMs(backend)
  const oldestMs = oldestSinceMs(nowMs)
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
  delivery: Pick<Delivery, 'status' | 'statusHistory'>,
  inside: Record<string, unknown> | undefined,
): Promise<Move[]> {
  if (!isKnownDeliveryStatus(delivery.status)) return []
  const told = inside?.reachableStatuses
  if (Array.isArray(told)) return movesTo(told.map(String))
  return possibleMoves(delivery, (await backend.client.getCapabilities()).capabilities.returns === true)
}

/** The fields that an update may change at this stage, with their present values. */
function editableFields({ status }: { status: string }, order: unknown): FormField[] {
  return formOf(DeliveryCreate, order)
    .filter(({ path }) => mayUpdate(status, path))
    .map((field) => ({ ...field, required: false }))
}

/** The driver's position in an event. */
export function driverPositionIn(data: unknown): Point | undefined {
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
