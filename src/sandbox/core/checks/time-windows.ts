import { type TimeWindows, timeMs } from '../../../contract/index.js'
import { opensWithin } from '../../../trade/gate-hours.js'
import type { World } from '../../model.js'
import { dropoffZip, namedInstallation } from '../geo/places.js'
import { storeHours } from '../geo/stores.js'
import { gatesFor } from '../installations.js'
import { zipRefusals } from '../magic-tables.js'
import { Refusal } from '../refusal.js'
import { graceMs, type Stretch, scheduleOf, timestamp } from '../trip-times.js'
import type { OrderContext } from './requirements.js'

type Name = 'pickup' | 'dropoff'

/** Windows have to be complete, ahead, in order and servable; those of an `asap` order are not used, but must be valid. */
export function checkTimes(context: OrderContext): void {
  const { world, order } = context
  if (zipRefusals[dropoffZip(order.dropoff)] === 'INVALID_TIME_CONSTRAINT')
    throw unservable('dropoff', 'nobody drives then')
  if (order.timeWindows === undefined) return
  const pickup = windowOf('pickup', order.timeWindows.pickup, world.nowMs)
  const dropoff = windowOf('dropoff', order.timeWindows.dropoff, world.nowMs)
  if (pickup !== undefined && dropoff !== undefined && dropoff.toMs <= pickup.fromMs)
    throw unservable('dropoff', 'lies before the pickup window')
  if (order.timeWindows.deliveryMode !== 'scheduled') return
  if (dropoff === undefined && pickup === undefined)
    throw refusal('timeWindows', 'a scheduled order needs a pickup or a dropoff window')
  checkServable(context, dropoff === undefined ? 'pickup' : 'dropoff')
}

function windowOf(name: Name, window: TimeWindows['pickup'], nowMs: number): Stretch | undefined {
  if (window === undefined) return undefined
  if (window.start === undefined || window.end === undefined) throw unservable(name, 'needs a start and an end')
  const fromMs = timeMs(window.start)
  const toMs = timeMs(window.end)
  if (toMs <= fromMs) throw unservable(name, 'ends before it starts')
  if (toMs + graceMs < nowMs) throw unservable(name, `has passed: it is ${timestamp(nowMs)}`)
  return { fromMs, toMs }
}

/** A quote outside the store's hours is not refused; its response has no prices. */
function checkServable({ world, order, purpose }: OrderContext, name: Name): void {
  const { pickup, dropoff, firstPickupMs, tripMs } = scheduleOf(world, order)
  if (pickup === undefined || dropoff === undefined) {
    const minutes = Math.ceil(tripMs / 60_000)
    throw unservable(name, `ends too early: the trip from the store takes ${minutes} minutes`)
  }
  if (firstPickupMs === undefined && purpose !== 'quote') {
    const hours = `${storeHours.open} to ${storeHours.close} local time`
    throw unservable(name, `the store is closed throughout; it is open from ${hours}`)
  }
  checkGates(world, order, dropoff, name)
}

function checkGates(world: World, order: OrderContext['order'], arrivals: Stretch, name: Name): void {
  const installation = namedInstallation(world, order.dropoff)
  if (installation === undefined) return
  const { gate } = order.dropoff.installation ?? {}
  if (opensWithin(gatesFor(installation, gate), arrivals.fromMs, arrivals.toMs)) return
  const which = gate === undefined ? 'every gate for commercial vehicles' : `the gate "${gate}"`
  throw unservable(name, `${which} of ${installation.code} is closed throughout`)
}

function unservable(name: Name, message: string): Refusal {
  return refusal(`timeWindows.${name}`, message)
}

function refusal(field: string, message: string): Refusal {
  return new Refusal('INVALID_TIME_CONSTRAINT', `${field}: ${message}.`, {
    fieldErrors: [{ field, code: 'INVALID_TIME', message }],
  })
}
