import { isRecord, textAt } from '../../../shared/json.js'
import { maskName } from '../../../shared/mask.js'
import type { Position } from '../../../shared/position.js'
import { type PromiseRules, promiseOf, timeMsOf } from '../../../trade/promise.js'
import { isActive } from '../../../trade/statuses.js'
import type { DeliverySummary } from '../../wire/live.js'
import type { Backend } from '../backend.js'

/** Maximum number of deliveries in memory besides those that the service lists. */
const remembered = 20_000

/** The data of an event besides its delivery. */
interface NotedEvent {
  eta?: unknown
  eventType?: unknown
  occurredAt?: unknown
}

/** Deliveries as known from lists and events: the service's list has neither store nor ETA. */
export class DeliveryIndex {
  private readonly known = new Map<string, DeliverySummary>()
  private rules: PromiseRules = {}

  constructor(private readonly placesOf: Backend['placesOf']) {}

  get(deliveryId: string): DeliverySummary | undefined {
    return this.known.get(deliveryId)
  }

  /** The deliveries of a store that are under way. */
  underWay(store: string): DeliverySummary[] {
    return [...this.known.values()].filter((delivery) => delivery.store === store && isActive(delivery.status))
  }

  /** Sets promises that the service does not return. */
  setPromises(rules: PromiseRules): void {
    this.rules = rules
  }

  /** Takes a delivery of a list or an event, which has more; returns what is known now. */
  note(delivery: unknown, event: NotedEvent = {}): DeliverySummary | undefined {
    if (!isRecord(delivery) || typeof delivery.deliveryId !== 'string') return undefined
    const { deliveryId } = delivery
    const before = this.known.get(deliveryId)
    const arrival = textAt(event.eta, 'dropoff')
    const status = textAt(delivery, 'status') ?? before?.status ?? 'unknown'
    const isSame = before?.status === status
    const updatedAt = textAt(delivery, 'updatedAt') ?? before?.updatedAt ?? null
    const driver = isRecord(delivery.driver) ? delivery.driver : {}
    // The sandbox itself keeps the driver's location beside the driver.
    const location = driver.location ?? delivery.location
    const isComplete = isRecord(delivery.dropoff)
    const places = isComplete
      ? placesIn(this.placesOf(delivery))
      : { from: before?.from, to: before?.to, gate: before?.gate }
    const summary: DeliverySummary = {
      deliveryId,
      reference: textAt(delivery, 'clientOrderReference') ?? before?.reference ?? deliveryId,
      status,
      createdAt: textAt(delivery, 'createdAt') ?? before?.createdAt ?? null,
      updatedAt,
    }
    const more = {
      since: sinceOf(delivery, status, event) ?? (isSame ? before.since : (updatedAt ?? undefined)),
      store: textAt(delivery.pickup, 'storeReference') ?? before?.store,
      firstEta: before?.firstEta ?? arrival,
      eta: arrival ?? before?.eta,
      driver: maskedName(driver) ?? (isSame ? before.driver : undefined),
      positionAt: textAt(location, 'updatedAt') ?? (isSame ? before.positionAt : undefined),
      at: positionIn(location) ?? (isComplete ? undefined : before?.at),
      ...places,
      // A list has no reasons: one that is known stays as long as the status does.
      reason: textAt(delivery, 'statusReasonCode') ?? (isSame ? before.reason : undefined),
    }
    for (const [name, value] of Object.entries(more)) if (value !== undefined) Object.assign(summary, { [name]: value })
    const promise = promiseOf(
      {
        reference: summary.reference,
        acceptedMs: timeMsOf(summary.createdAt),
        windowEndMs: timeMsOf(textAt(isRecord(delivery.timeWindows) ? delivery.timeWindows.dropoff : {}, 'end')),
        firstEtaMs: timeMsOf(summary.firstEta),
      },
      this.rules,
    )
    if (promise !== undefined)
      summary.promise = { by: new Date(promise.promisedByMs).toISOString(), source: promise.source }
    // An older snapshot, as of an event that was listed late, does not replace a newer one.
    const isOlder = before !== undefined && Date.parse(summary.updatedAt ?? '') < Date.parse(before.updatedAt ?? '')
    const kept = isOlder ? { ...summary, ...before } : summary
    this.known.delete(deliveryId)
    this.known.set(deliveryId, kept)
    if (this.known.size > remembered) {
      const [oldest] = this.known.keys()
      if (oldest !== undefined) this.known.delete(oldest)
    }
    return kept
  }
}

function placesIn({
  store,
  gate,
  dropoff,
}: ReturnType<Backend['placesOf']>): Pick<DeliverySummary, 'from' | 'to' | 'gate'> {
  return {
    ...(store === undefined ? {} : { from: { latitude: store.latitude, longitude: store.longitude } }),
    ...(dropoff === undefined ? {} : { to: { latitude: dropoff.latitude, longitude: dropoff.longitude } }),
    ...(gate === undefined ? {} : { gate: gate.name }),
  }
}

function positionIn(location: unknown): Position | undefined {
  if (!isRecord(location)) return undefined
  const { latitude, longitude } = location
  return typeof latitude === 'number' && typeof longitude === 'number' ? { latitude, longitude } : undefined
}

function maskedName(driver: Record<string, unknown>): string | undefined {
  const name = textAt(driver, 'name')
  return name === undefined ? undefined : maskName(name)
}

/** When a delivery got its status, by its history or by the event that told of it. */
function sinceOf(delivery: Record<string, unknown>, status: string, event: NotedEvent): string | undefined {
  const history = Array.isArray(delivery.statusHistory) ? delivery.statusHistory : []
  const entry = history.findLast((one) => isRecord(one) && one.status === status)
  if (event.eventType === `delivery.${status}` && typeof event.occurredAt === 'string') return event.occurredAt
  return textAt(entry, 'occurredAt')
}
