import { isRecord, textAt, textOf } from '../../../shared/json.js'
import { maskName } from '../../../shared/mask-personal-data.js'
import type { Position } from '../../../shared/math.js'
import { addStep, isEarlierEta, isNewer, knownStatus, type Step, stepsTold } from '../../../trade/known-delivery.js'
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

/** A delivery, and what the next telling of it is judged by. */
interface Known {
  summary: DeliverySummary
  steps: Step[]
  /** The reason that the newest snapshot itself has. */
  ownReason: string | undefined
  /** When the first ETA was told. */
  firstEtaAt: string | undefined
  windowEnd: string | undefined
}

/** The time of a first ETA that no event can be before: the archive has read all of them. */
const sureAt = new Date(0).toISOString()

/** Deliveries as known from the archive and from events since: the service's list has neither store nor ETA. */
export class DeliveryIndex {
  private readonly known = new Map<string, Known>()
  private rules: PromiseRules = {}

  constructor(private readonly placesOf: Backend['placesOf']) {}

  get(deliveryId: string): DeliverySummary | undefined {
    return this.known.get(deliveryId)?.summary
  }

  /** The deliveries of a store that are under way. */
  underWay(store: string): DeliverySummary[] {
    return Array.from(this.known.values(), ({ summary }) => summary).filter(
      (delivery) => delivery.store === store && isActive(delivery.status),
    )
  }

  /** Sets promises that the service does not return. */
  setPromises(rules: PromiseRules): void {
    this.rules = rules
  }

  /** Takes a delivery as the archive has it; what newer events have told stays. */
  take(delivery: DeliverySummary): DeliverySummary {
    const { deliveryId, status, since, reason, firstEta, updatedAt, promise } = delivery
    const before = this.known.get(deliveryId)
    const steps = before?.steps ?? []
    if (since !== undefined) addStep(steps, [status, since, reason ?? null])
    const firstEtaAt = firstEta === undefined ? before?.firstEtaAt : sureAt
    const windowEnd = promise?.source === 'window' ? promise.by : before?.windowEnd
    if (before === undefined || isNewer(updatedAt ?? undefined, before.summary.updatedAt ?? undefined))
      return this.keep({ summary: delivery, steps, ownReason: reason, firstEtaAt, windowEnd })
    const summary = { ...delivery, ...before.summary, ...present({ firstEta }) }
    return this.keep({ ...before, summary, steps, firstEtaAt, windowEnd })
  }

  /** Takes a delivery of a list or an event; returns what is known now. */
  note(delivery: unknown, event: NotedEvent = {}): DeliverySummary | undefined {
    if (!isRecord(delivery) || typeof delivery.deliveryId !== 'string') return undefined
    const { deliveryId } = delivery
    const before = this.known.get(deliveryId)
    const updatedAt = textAt(delivery, 'updatedAt')
    const at = textOf(event.occurredAt) ?? updatedAt
    const reason = textAt(delivery, 'statusReasonCode')
    const steps = before?.steps ?? []
    const told = { eventType: textOf(event.eventType), at: at ?? '', reason: reason ?? null }
    for (const step of stepsTold(delivery, told)) addStep(steps, step)
    const eta = textAt(event.eta, 'dropoff')
    const isFirst = eta !== undefined && isEarlierEta(at, before?.firstEtaAt)
    const isLate = before !== undefined && !isNewer(updatedAt, before.summary.updatedAt ?? undefined)
    const summary = this.summaryOf(deliveryId, delivery, before?.summary)
    if (eta !== undefined) summary.eta = eta
    return this.keep(
      {
        // Of an older snapshot, as of an event that was listed late, only what nothing newer tells is taken.
        summary: { ...summary, ...(isLate && before.summary), ...(isFirst && { firstEta: eta }) },
        steps,
        ownReason: isLate ? before.ownReason : reason,
        firstEtaAt: isFirst ? (at ?? sureAt) : before?.firstEtaAt,
        windowEnd: (isLate ? before.windowEnd : undefined) ?? windowEndOf(delivery) ?? before?.windowEnd,
      },
      textAt(locationOf(delivery), 'updatedAt'),
    )
  }

  /** The newest snapshot of a delivery, without what depends on more than that. */
  private summaryOf(
    deliveryId: string,
    delivery: Record<string, unknown>,
    before: DeliverySummary | undefined,
  ): DeliverySummary {
    const status = textAt(delivery, 'status') ?? before?.status ?? 'unknown'
    const isSame = before?.status === status
    const isComplete = isRecord(delivery.dropoff)
    const places = isComplete
      ? placesIn(this.placesOf(delivery))
      : { from: before?.from, to: before?.to, gate: before?.gate }
    const updatedAt = textAt(delivery, 'updatedAt')
    return {
      deliveryId,
      reference: textAt(delivery, 'clientOrderReference') ?? before?.reference ?? deliveryId,
      status,
      createdAt: textAt(delivery, 'createdAt') ?? before?.createdAt ?? null,
      updatedAt: updatedAt ?? before?.updatedAt ?? null,
      ...present({
        since: isSame ? before.since : updatedAt,
        store: textAt(delivery.pickup, 'storeReference') ?? before?.store,
        firstEta: before?.firstEta,
        eta: before?.eta,
        driver: maskedName(delivery.driver) ?? (isSame ? before.driver : undefined),
        positionAt: before?.positionAt,
        at: positionIn(locationOf(delivery)) ?? (isComplete ? undefined : before?.at),
        ...places,
      }),
    }
  }

  /** Completes what is known by its steps and its promise. */
  private keep(known: Known, positionAt?: string): DeliverySummary {
    const { summary: newest, steps, ownReason, windowEnd } = known
    const { status, deliveryId } = newest
    const { since, reason } = knownStatus({ status, reason: ownReason }, steps)
    const promise = promiseOf(
      {
        reference: newest.reference,
        acceptedMs: timeMsOf(newest.createdAt),
        windowEndMs: timeMsOf(windowEnd),
        firstEtaMs: timeMsOf(newest.firstEta),
      },
      this.rules,
    )
    const { reason: _, promise: told, ...rest } = newest
    const summary: DeliverySummary = {
      ...rest,
      ...present({
        since: since ?? newest.since,
        reason,
        positionAt: later(positionAt, newest.positionAt),
        promise: promise ? { by: new Date(promise.promisedByMs).toISOString(), source: promise.source } : told,
      }),
    }
    this.known.delete(deliveryId)
    this.known.set(deliveryId, { ...known, summary })
    const [oldest] = this.known.keys()
    if (this.known.size > remembered && oldest !== undefined) this.known.delete(oldest)
    return summary
  }
}

function windowEndOf({ timeWindows }: Record<string, unknown>): string | undefined {
  return textAt(isRecord(timeWindows) ? timeWindows.dropoff : {}, 'end')
}

/** The sandbox itself keeps the driver's location beside the driver. */
function locationOf({ driver, location }: Record<string, unknown>): unknown {
  return (isRecord(driver) ? driver.location : undefined) ?? location
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

function maskedName(driver: unknown): string | undefined {
  const name = textAt(driver, 'name')
  return name === undefined ? undefined : maskName(name)
}

/** The later of two times. */
function later(one: string | undefined, other: string | undefined): string | undefined {
  return one === undefined || (other !== undefined && isNewer(other, one)) ? other : one
}

function present<Values extends object>(values: Values): Partial<Values> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<Values>
}
