import type { DeliveryListItem, EventRecord } from '../../contract/index.js'
import { stageOf } from '../../render/board-stages.js'
import { type BoardOrder, endedBadly } from '../../render/board-view.js'
import { minuteMs } from '../../shared/durations.js'
import { isRecord } from '../../shared/json.js'

/** How long a delivery that failed or expired stays on the board. */
const badEndsMs = 30 * minuteMs

/** What is known of a delivery, and from when: events can come late and in any order. */
interface Known {
  order: BoardOrder
  statusAtMs: number
  /** The time of the event that led to the present status; 0 if it has not been seen. */
  sinceAtMs: number
  bodyAtMs: number
  etaAtMs: number
}

/** The deliveries under way, from lists and events in any order. */
export class BoardOrders {
  readonly #known = new Map<string, Known>()
  /** Deliveries that are over, so that a late event does not bring them back. */
  readonly #over = new Map<string, number>()
  #delivered = 0

  constructor(private readonly startedMs: number) {}

  /** Deliveries that were delivered since the start. */
  get delivered(): number {
    return this.#delivered
  }

  /** The deliveries to show; those that ended badly a while ago are forgotten. */
  shown(nowMs: number): BoardOrder[] {
    for (const [id, { order }] of this.#known)
      if (endedBadly.has(order.status) && nowMs - order.sinceMs > badEndsMs) this.#forget(id, order.sinceMs)
    return [...this.#known.values()].map(({ order }) => order)
  }

  /** Deliveries of which no event has been seen. */
  bare(): number {
    return [...this.#known.values()].filter(({ bodyAtMs }) => bodyAtMs === 0).length
  }

  /** A delivery as the list has it: without its driver, its ETA and the time of its status. */
  list({ deliveryId, clientOrderReference, status, updatedAt, createdAt }: DeliveryListItem): void {
    const stage = stageOf(status)
    const atMs = timeOf(updatedAt) ?? timeOf(createdAt) ?? this.startedMs
    if (stage === undefined || this.#known.has(deliveryId) || (this.#over.get(deliveryId) ?? 0) >= atMs) return
    const order = { deliveryId, clientOrderReference: clientOrderReference ?? undefined, status, stage, sinceMs: atMs }
    this.#known.set(deliveryId, { order, statusAtMs: 0, sinceAtMs: 0, bodyAtMs: 0, etaAtMs: 0 })
  }

  /** Removes what a complete list of the deliveries under way no longer has, unless an event has just brought it. */
  keepOnly(listed: ReadonlySet<string>, listedAtMs: number): void {
    for (const [id, { order, statusAtMs }] of this.#known)
      if (!listed.has(id) && !endedBadly.has(order.status) && statusAtMs < listedAtMs - minuteMs)
        this.#forget(id, listedAtMs)
  }

  /** What an event says; nothing if a later one was seen. */
  see({ eventType, occurredAt, deliveryId, data }: EventRecord, nowMs: number): void {
    const atMs = Date.parse(occurredAt)
    if (deliveryId == null || Number.isNaN(atMs)) return
    const body = isRecord(data) ? data : {}
    const delivery = isRecord(body.delivery) ? body.delivery : {}
    const status = typeof delivery.status === 'string' ? delivery.status : undefined
    if (status === undefined || (this.#over.get(deliveryId) ?? 0) >= atMs) return
    const known = this.#known.get(deliveryId)
    if (atMs >= (known?.statusAtMs ?? 0)) {
      const stage = stageOf(status)
      const isOldEnd = endedBadly.has(status) && nowMs - atMs > badEndsMs
      if (stage === undefined || isOldEnd) {
        if (status === 'delivered' && atMs >= this.startedMs) this.#delivered++
        this.#forget(deliveryId, atMs)
        return
      }
      const isSame = known?.order.status === status
      const sinceMs = isSame ? known.order.sinceMs : atMs
      this.#known.set(deliveryId, {
        order: { ...known?.order, deliveryId, status, stage, sinceMs },
        statusAtMs: atMs,
        sinceAtMs: isSame ? known.sinceAtMs : 0,
        bodyAtMs: known?.bodyAtMs ?? 0,
        etaAtMs: known?.etaAtMs ?? 0,
      })
    }
    if (eventType === `delivery.${status}`) this.#date(deliveryId, status, atMs)
    this.#complete(deliveryId, atMs, body, delivery)
  }

  /** The event that led to the present status says since when. */
  #date(deliveryId: string, status: string, atMs: number): void {
    const known = this.#known.get(deliveryId)
    if (known === undefined || known.order.status !== status || atMs < known.sinceAtMs) return
    known.sinceAtMs = atMs
    known.order.sinceMs = atMs
  }

  #complete(deliveryId: string, atMs: number, body: Record<string, unknown>, delivery: Record<string, unknown>): void {
    const known = this.#known.get(deliveryId)
    if (known === undefined) return
    if (atMs >= known.bodyAtMs) {
      known.bodyAtMs = atMs
      Object.assign(known.order, snapshotOf(delivery))
    }
    const etaMs = timeOf(recordAt(body, 'eta').dropoff)
    if (etaMs === undefined || atMs < known.etaAtMs) return
    known.etaAtMs = atMs
    known.order.etaMs = etaMs
  }

  #forget(deliveryId: string, atMs: number): void {
    this.#known.delete(deliveryId)
    this.#over.set(deliveryId, atMs)
    const [oldest] = this.#over.keys()
    if (this.#over.size > 20_000 && oldest !== undefined) this.#over.delete(oldest)
  }
}

function snapshotOf(delivery: Record<string, unknown>): Partial<BoardOrder> {
  const dropoff = recordAt(delivery, 'dropoff')
  const driver = recordAt(delivery, 'driver')
  return {
    clientOrderReference: textAt(delivery, 'clientOrderReference'),
    statusReasonCode: textAt(delivery, 'statusReasonCode'),
    driver: textAt(driver, 'name'),
    vehicle: textAt(driver, 'vehicleDescription'),
    storeReference: textAt(recordAt(delivery, 'pickup'), 'storeReference'),
    contactName: textAt(dropoff, 'contactName'),
    address: textAt(dropoff, 'address') ?? textAt(recordAt(dropoff, 'address'), 'line1'),
    trackingUrl: textAt(delivery, 'trackingUrl'),
  }
}

function recordAt(value: Record<string, unknown>, name: string): Record<string, unknown> {
  const found = value[name]
  return isRecord(found) ? found : {}
}

function textAt(value: Record<string, unknown>, name: string): string | undefined {
  const found = value[name]
  return typeof found === 'string' && found !== '' ? found : undefined
}

function timeOf(value: unknown): number | undefined {
  const atMs = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(atMs) ? undefined : atMs
}
