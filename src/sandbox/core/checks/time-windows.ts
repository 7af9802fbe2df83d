import { opensWithin } from '../gate-hours.js'
import { namedInstallation, zipOf } from '../geo/places.js'
import { opensForPickup, storeHours } from '../geo/store-hours.js'
import { storeByReference } from '../geo/stores.js'
import { zipRefusals } from '../magic-tables.js'
import { Refusal } from '../refusal.js'
import { secondMs, timestamp } from '../timestamp.js'
import type { OrderContext } from './order-context.js'

interface Window {
  name: 'pickup' | 'dropoff'
  startMs: number
  endMs: number
}

/** A window that has just closed when the request arrives was open when it was sent. */
const graceMs = 60 * secondMs

/** Windows have to be whole, ahead, in order and servable; those of an `asap` order are not used, but have to be valid. */
export function checkTimes(context: OrderContext): void {
  const { world, order } = context
  if (zipRefusals[zipOf(order.dropoff)] === 'INVALID_TIME_CONSTRAINT') throw unservable('dropoff', 'nobody drives then')
  if (order.timeWindows === undefined) return
  const pickup = windowOf('pickup', order.timeWindows.pickup, world.nowMs)
  const dropoff = windowOf('dropoff', order.timeWindows.dropoff, world.nowMs)
  if (pickup !== undefined && dropoff !== undefined && dropoff.endMs <= pickup.startMs)
    throw unservable('dropoff', 'lies before the pickup window')
  if (order.timeWindows.deliveryMode !== 'scheduled') return
  const stop = dropoff ?? pickup
  if (stop === undefined) throw refusal('timeWindows', 'a scheduled order needs a pickup or a dropoff window')
  checkGates(context, stop)
  checkStoreHours(context, pickup)
}

function windowOf(
  name: Window['name'],
  window: { start?: string | undefined; end?: string | undefined } | undefined,
  nowMs: number,
): Window | undefined {
  if (window === undefined) return undefined
  if (window.start === undefined || window.end === undefined) throw unservable(name, 'needs a start and an end')
  const startMs = Date.parse(window.start)
  const endMs = Date.parse(window.end)
  if (endMs <= startMs) throw unservable(name, 'ends before it starts')
  if (endMs + graceMs < nowMs) throw unservable(name, `has passed: it is ${timestamp(nowMs)}`)
  return { name, startMs, endMs }
}

function checkGates(context: OrderContext, window: Window): void {
  const installation = namedInstallation(context.world, context.order.dropoff)
  if (installation === undefined || opensWithin(installation, window.startMs, window.endMs)) return
  throw unservable(window.name, `lies where every gate of ${installation.code} for commercial vehicles is closed`)
}

/** A quote outside the store's hours is no refusal but an answer without prices. */
function checkStoreHours({ order, purpose }: OrderContext, pickup: Window | undefined): void {
  if (purpose === 'quote') return
  const store = storeByReference(order.pickup.storeReference)
  if (pickup === undefined || store === undefined || opensForPickup(store, pickup.startMs, pickup.endMs)) return
  throw unservable(
    'pickup',
    `lies outside the hours of the store, ${storeHours.open} to ${storeHours.close} local time`,
  )
}

function unservable(name: Window['name'], message: string): Refusal {
  return refusal(`timeWindows.${name}`, message)
}

function refusal(field: string, message: string): Refusal {
  return new Refusal('INVALID_TIME_CONSTRAINT', `${field}: ${message}.`, {
    fieldErrors: [{ field, code: 'INVALID_TIME', message }],
  })
}
