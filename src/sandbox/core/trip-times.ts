import { type DeliveryCreate, type Time, timeMs } from '../../contract/index.js'
import { hourMs, minuteMs, secondMs } from '../../shared/durations.js'
import type { InstallationRow, World } from '../model.js'
import type { OrderLike } from './checks/requirements.js'
import type { Point } from './geo/geography.js'
import { approachKm, locateStop, namedInstallation, roadKm } from './geo/places.js'
import { firstOpenMs, isOpen, type Store, storeByReference } from './geo/stores.js'
import { hashBetween } from './hash.js'

/** Times that were written lately: a request writes the same one several times, and a list those of the list before. */
const slots = 1_024
const writtenMs = new Float64Array(slots).fill(Number.NaN)
const written = new Array<string>(slots).fill('')

/** Milliseconds since the epoch as the service writes a time: UTC with milliseconds. */
export function timestamp(atMs: number): string {
  const slot = Math.abs(Math.trunc(atMs)) % slots
  if (writtenMs[slot] === atMs) return written[slot] ?? ''
  const text = new Date(atMs).toISOString()
  writtenMs[slot] = atMs
  written[slot] = text
  return text
}

/** The durations of the parts of a trip, in milliseconds. */
export interface TripTimes {
  assignmentMs: number
  approachMs: number
  storeDwellMs: number
  driveMs: number
  gateMs: number
  dropoffDwellMs: number
}

const storeDwellMs = 4 * minuteMs
const dropoffDwellMs = 3 * minuteMs
const gateDwellMs = { id_required: 8 * minuteMs, escort_required: 20 * minuteMs, restricted: 20 * minuteMs }

/** Times of a trip, which depend only on the places and on `seed`. */
export function tripTimes(
  store: Store,
  stop: Point | undefined,
  installation: Pick<InstallationRow, 'accessLevel'> | undefined,
  seed: string,
): TripTimes {
  return {
    assignmentMs: Math.round(hashBetween(2, 6, seed, 'assignment') * minuteMs),
    approachMs: driveMs(approachKm(seed)),
    storeDwellMs,
    driveMs: driveMs(roadKm(store, stop)),
    gateMs: installation === undefined ? 0 : gateDwellMs[installation.accessLevel],
    dropoffDwellMs,
  }
}

/** When the driver will be at the store and at the door, for an order that is dispatched at `startMs`. */
export function estimate(times: TripTimes, startMs: number): { pickupMs: number; dropoffMs: number } {
  const pickupMs = startMs + times.assignmentMs + times.approachMs
  return { pickupMs, dropoffMs: pickupMs + times.storeDwellMs + times.driveMs + times.gateMs }
}

/** How long before its window an order is dispatched. */
export const dispatchLeadMs = 30 * minuteMs

/** The start of the earliest window of a scheduled order; `undefined` for an order that starts now. */
export function earliestStartMs(order: Pick<DeliveryCreate, 'timeWindows'>): number | undefined {
  if (order.timeWindows?.deliveryMode !== 'scheduled') return undefined
  const { pickup, dropoff } = order.timeWindows
  const starts = [pickup?.start, dropoff?.start].flatMap((start) => (start === undefined ? [] : [timeMs(start)]))
  return starts.length === 0 ? undefined : Math.min(...starts)
}

/** The moment after which a scheduled order makes no sense any more. */
export function latestEndMs(order: Pick<DeliveryCreate, 'timeWindows'>): number | undefined {
  if (order.timeWindows?.deliveryMode !== 'scheduled') return undefined
  const { pickup, dropoff } = order.timeWindows
  const ends = [pickup?.end, dropoff?.end].flatMap((end) => (end === undefined ? [] : [timeMs(end)]))
  return ends.length === 0 ? undefined : Math.max(...ends)
}

/** Short trips are slow ones. */
function driveMs(km: number): number {
  const kmPerHour = km < 3 ? 20 : km <= 15 ? 32 : 55
  return Math.round((km / kmPerHour) * hourMs)
}

/** A stretch of time, `toMs` included. */
export interface Stretch {
  fromMs: number
  toMs: number
}

/** A window that has just closed when the request arrives was open when it was sent. */
export const graceMs = 60 * secondMs

/** When an order can be picked up and arrive. */
interface Schedule {
  /** Pickups that reach the dropoff in time; `undefined` if there are none. */
  pickup: Stretch | undefined
  /** Arrivals of those pickups within the dropoff window. */
  dropoff: Stretch | undefined
  /** The first of those pickups at which the store is open; `undefined` if it is closed throughout. */
  firstPickupMs: number | undefined
  /** From the store to the dropoff, with the time at both. */
  tripMs: number
}

/**
 * The schedule of an order by its windows: picked up in the pickup window, or in time to arrive in the dropoff window,
 * by a driver who is at the store already. An order that is not scheduled is picked up now.
 */
export function scheduleOf(world: World, order: OrderLike): Schedule {
  const tripMs = tripMsOf(world, order)
  const store = storeByReference(order.pickup.storeReference)
  const { deliveryMode, pickup, dropoff } = order.timeWindows ?? {}
  if (deliveryMode !== 'scheduled') {
    const now = { fromMs: world.nowMs, toMs: world.nowMs }
    const firstPickupMs = store !== undefined && isOpen(store, world.nowMs) ? world.nowMs : undefined
    return { pickup: now, dropoff: shifted(now, tripMs), firstPickupMs, tripMs }
  }
  const [pickupStartMs, pickupEndMs] = [momentOf(pickup?.start), momentOf(pickup?.end)]
  const [dropoffStartMs, dropoffEndMs] = [momentOf(dropoff?.start), momentOf(dropoff?.end)]
  const wantedMs = pickupStartMs ?? (dropoffStartMs === undefined ? world.nowMs : dropoffStartMs - tripMs)
  const fromMs = Math.max(world.nowMs - graceMs, wantedMs)
  const toMs = Math.min(pickupEndMs ?? Number.POSITIVE_INFINITY, (dropoffEndMs ?? Number.POSITIVE_INFINITY) - tripMs)
  if (toMs < fromMs) return { pickup: undefined, dropoff: undefined, firstPickupMs: undefined, tripMs }
  const arrivals = shifted({ fromMs, toMs }, tripMs)
  return {
    pickup: { fromMs, toMs },
    // A package that was picked up early waits for the window to open.
    dropoff: { fromMs: Math.max(arrivals.fromMs, dropoffStartMs ?? 0), toMs: dropoffEndMs ?? arrivals.toMs },
    firstPickupMs: store === undefined ? undefined : firstOpenMs(store, fromMs, toMs),
    tripMs,
  }
}

function tripMsOf(world: World, { pickup, dropoff }: OrderLike): number {
  const store = storeByReference(pickup.storeReference)
  if (store === undefined) return 0
  const { storeDwellMs, driveMs, gateMs } = tripTimes(
    store,
    locateStop(world, dropoff),
    namedInstallation(world, dropoff),
    pickup.storeReference,
  )
  return storeDwellMs + driveMs + gateMs
}

function shifted({ fromMs, toMs }: Stretch, byMs: number): Stretch {
  return { fromMs: fromMs + byMs, toMs: toMs + byMs }
}

function momentOf(time: Time | undefined): number | undefined {
  return time === undefined ? undefined : timeMs(time)
}
