import type { Delivery, DeliveryListItem, EventRecord } from '../../contract/index.js'
import type { BoardOrder } from '../../render/board-view.js'
import { minuteMs } from '../../shared/durations.js'
import { isRecord, recordAt, textAt, timeAt } from '../../shared/json.js'
import { columnOf, endedProblemMs, problemOf } from '../../trade/problems.js'
import { promiseOf } from '../../trade/promise.js'
import { endedBadly, isActive, stageOf } from '../../trade/statuses.js'
import type { Judging } from '../report/judging.js'

/** An order before it is judged. */
type Draft = Omit<BoardOrder, 'column' | 'problem' | 'lateMs'> & {
  acceptedMs?: number | undefined
  firstEtaMs?: number | undefined
  windowEndMs?: number | undefined
  positionMs?: number | undefined
}

/** The known facts of a delivery, and their times: events can come late and in any order. */
interface Known {
  order: Draft
  statusAtMs: number
  /** The time of the event that led to the present status; 0 if it has not been seen. */
  sinceAtMs: number
  bodyAtMs: number
  etaAtMs: number
  firstEtaAtMs: number
}

/** The times of a delivery without known events. */
const unseen = { bodyAtMs: 0, etaAtMs: 0, firstEtaAtMs: 0 }

/** The deliveries under way, from lists and events in any order. */
export class BoardOrders {
  readonly #known = new Map<string, Known>()
  /** Deliveries that are over, so that a late event does not bring them back. */
  readonly #over = new Map<string, number>()
  #delivered = 0

  constructor(
    private readonly startedMs: number,
    private readonly judging: Judging = {},
  ) {}

  /** Deliveries that were delivered since the start. */
  get delivered(): number {
    return this.#delivered
  }

  /** The deliveries to show; those that ended badly a while ago are forgotten. */
  shown(nowMs: number): BoardOrder[] {
    for (const [id, { order }] of this.#known)
      if (endedBadly(order.status) && nowMs - order.sinceMs > endedProblemMs) this.#forget(id, order.sinceMs)
    return [...this.#known.values()].map(({ order }) => this.#judged(order, nowMs))
  }

  #judged(draft: Draft, nowMs: number): BoardOrder {
    const { acceptedMs, firstEtaMs, windowEndMs, positionMs, ...order } = draft
    const { clientOrderReference: reference } = order
    const promise = promiseOf({ reference, acceptedMs, windowEndMs, firstEtaMs }, this.judging.promises)
    const standing = { ...order, promise, positionMs }
    const problem = problemOf(standing, nowMs, this.judging.limits)
    return {
      ...order,
      column: columnOf(standing, problem, nowMs),
      problem: problem?.text,
      lateMs: problem?.lateMs ?? 0,
    }
  }

  /** Orders that need events from before `sinceMs`: bare ones, and those under way that were created before it. */
  needEventsBefore(sinceMs: number): string[] {
    return [...this.#known].flatMap(
      ([
        deliveryId,
        {
          order: { status, acceptedMs },
          bodyAtMs,
        },
      ]) => (bodyAtMs === 0 || (isActive(status) && (acceptedMs ?? sinceMs) < sinceMs) ? deliveryId : []),
    )
  }

  /** A delivery as the list has it: without its driver, its ETA and the time of its status. */
  list(item: DeliveryListItem): void {
    const { deliveryId, clientOrderReference, status } = item
    const atMs = timeAt(item, 'updatedAt') ?? timeAt(item, 'createdAt') ?? this.startedMs
    const known = this.#known.get(deliveryId)
    if ((this.#over.get(deliveryId) ?? 0) >= atMs || (known?.statusAtMs ?? 0) > atMs) return
    if (known?.order.status === status) return
    if (isOver(status, atMs, this.startedMs)) {
      if (known !== undefined) this.#forget(deliveryId, atMs)
      return
    }
    const reference = clientOrderReference ?? undefined
    const acceptedMs = timeAt(item, 'createdAt')
    this.#known.set(deliveryId, {
      ...(known ?? unseen),
      order: { ...known?.order, deliveryId, clientOrderReference: reference, status, sinceMs: atMs, acceptedMs },
      statusAtMs: atMs,
      sinceAtMs: 0,
    })
  }

  /** Adds a delivery that was read individually: its history has the time of its status. */
  read(delivery: Delivery): void {
    const known = this.#known.get(delivery.deliveryId)
    if (known === undefined || known.order.status !== delivery.status) return
    const last = delivery.statusHistory?.at(-1)
    const [status, atMs] = [textAt(last, 'status'), timeAt(last, 'occurredAt')]
    if (status === delivery.status && atMs !== undefined) this.#date(delivery.deliveryId, status, atMs)
    if (known.bodyAtMs === 0)
      this.#complete(delivery.deliveryId, timeAt(delivery, 'updatedAt') ?? 1, {}, { ...delivery })
  }

  /** Removes what a complete list of the deliveries under way no longer has, unless an event has just brought it. */
  keepOnly(listed: ReadonlySet<string>, listedAtMs: number): void {
    for (const [id, { order, statusAtMs }] of this.#known)
      if (!listed.has(id) && !endedBadly(order.status) && statusAtMs < listedAtMs - minuteMs)
        this.#forget(id, listedAtMs)
  }

  /** Takes the facts of an event, unless a later one was seen. */
  see({ eventType, occurredAt, deliveryId, data }: EventRecord, nowMs: number): void {
    const atMs = Date.parse(occurredAt)
    if (deliveryId == null || Number.isNaN(atMs)) return
    const body = isRecord(data) ? data : {}
    const delivery = recordAt(body, 'delivery')
    const status = textAt(delivery, 'status')
    if (status === undefined || (this.#over.get(deliveryId) ?? 0) >= atMs) return
    const known = this.#known.get(deliveryId)
    if (atMs >= (known?.statusAtMs ?? 0)) {
      if (isOver(status, atMs, nowMs)) {
        if (status === 'delivered' && atMs >= this.startedMs) this.#delivered++
        this.#forget(deliveryId, atMs)
        return
      }
      const isSame = known?.order.status === status
      const sinceMs = isSame ? known.order.sinceMs : atMs
      this.#known.set(deliveryId, {
        ...(known ?? unseen),
        order: { ...known?.order, deliveryId, status, sinceMs },
        statusAtMs: atMs,
        sinceAtMs: isSame ? known.sinceAtMs : 0,
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
      const { acceptedMs } = known.order
      Object.assign(known.order, snapshotOf(delivery))
      known.order.acceptedMs ??= acceptedMs
    }
    const etaMs = timeAt(recordAt(body, 'eta'), 'dropoff')
    if (etaMs === undefined) return
    if (known.firstEtaAtMs === 0 || atMs < known.firstEtaAtMs) {
      known.firstEtaAtMs = atMs
      known.order.firstEtaMs = etaMs
    }
    if (atMs < known.etaAtMs) return
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

/** Nothing is left to do: ended as wished, or badly and a while ago. */
function isOver(status: string, atMs: number, nowMs: number): boolean {
  return stageOf(status) === 'done' && (!endedBadly(status) || nowMs - atMs > endedProblemMs)
}

function snapshotOf(delivery: Record<string, unknown>): Partial<Draft> {
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
    acceptedMs: timeAt(delivery, 'createdAt'),
    windowEndMs: timeAt(recordAt(recordAt(delivery, 'timeWindows'), 'dropoff'), 'end'),
    positionMs: timeAt(recordAt(driver, 'location'), 'updatedAt'),
  }
}
