import { type Time, timeMs } from '../../contract/index.js'
import { secondMs } from '../../shared/durations.js'
import type { World } from '../model.js'
import type { OrderLike } from './checks/requirements.js'
import { locateStop, namedInstallation } from './geo/places.js'
import { firstOpenMs, isOpen, storeByReference } from './geo/stores.js'
import { tripTimes } from './times.js'

/** A stretch of time, `toMs` included. */
export interface Stretch {
  fromMs: number
  toMs: number
}

/** A window that has just closed when the request arrives was open when it was sent. */
export const graceMs = 60 * secondMs

/** When an order can be picked up and arrive. */
export interface Schedule {
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
