import type { KnownDeliveryStatus } from '../../contract/index.js'
import { minuteMs, secondMs } from '../../shared/durations.js'
import type { DeliveryRow, Pace, World } from '../model.js'
import { type TripTimes, tripTimes } from './eta.js'
import { locateStop, namedInstallation } from './geo/places.js'
import { storeByReference } from './geo/stores.js'
import { hashBetween, varietyOf } from './hash.js'

/** The duration of a status at the paces that ignore the map. */
const stepMs: Readonly<Record<Exclude<Pace, 'manual' | 'real'>, number>> = {
  instant: 0,
  fast: 2 * secondMs,
  robo: 30 * secondMs,
}

/** Interval of a moving driver's location updates; `undefined` if a step is too short for them. */
export function locationIntervalMs(row: DeliveryRow, afterMs: number): number | undefined {
  if (row.pace === 'fast') return secondMs
  if (row.pace === 'robo') return 10 * secondMs
  return row.pace === 'real'
    ? Math.round(hashBetween(60, 120, varietyOf(row), afterMs - row.createdAtMs)) * secondMs
    : undefined
}

/** The duration of a delivery's status, in milliseconds, with random delays from traffic and people. */
export function stayMs(world: World, row: DeliveryRow, status: KnownDeliveryStatus): number {
  const planned = plannedStayMs(world, row, status)
  return Math.round(row.pace === 'real' ? planned * slowness(row, status) : planned)
}

/** The same, as it is planned: by the map, unless the pace is a quicker one. */
export function plannedStayMs(world: World, row: DeliveryRow, status: KnownDeliveryStatus): number {
  const { pace } = row
  return pace === 'real' || pace === 'manual' ? realStayMs(timesOf(world, row), status) : stepMs[pace]
}

function realStayMs(times: TripTimes, status: KnownDeliveryStatus): number {
  switch (status) {
    case 'accepted':
    case 'reassigning':
      return times.assignmentMs
    case 'driver_assigned':
      return 0.1 * times.approachMs
    case 'driver_enroute_to_pickup':
      return 0.9 * times.approachMs
    case 'driver_at_pickup':
      return 0.9 * times.storeDwellMs
    case 'pickup_complete':
      return 0.1 * times.storeDwellMs
    case 'driver_enroute_to_dropoff':
      return times.driveMs + times.gateMs
    case 'driver_at_dropoff':
      return times.dropoffDwellMs
    case 'return_in_progress':
      return times.driveMs
    default:
      return minuteMs
  }
}

function timesOf(world: World, row: DeliveryRow): TripTimes {
  const { dropoff, pickup } = row.order
  const store = storeByReference(pickup.storeReference)
  if (store === undefined) throw new Error(`no store ${pickup.storeReference}`)
  return tripTimes(store, locateStop(world, dropoff), namedInstallation(world, dropoff), varietyOf(row))
}

/** How much longer than planned a status lasts: the drive for every order, waiting for those of a written history too. */
function slowness(row: DeliveryRow, status: KnownDeliveryStatus): number {
  const usual = row.delayFactor ?? 1
  if (status === 'driver_enroute_to_dropoff')
    return usual * hashBetween(0.85, row.variety === undefined ? 1.35 : 1.15, varietyOf(row), 'traffic')
  if (row.variety === undefined) return 1
  if (status === 'driver_at_pickup') return usual * hashBetween(0.4, 1.7, row.variety, 'store')
  if (status === 'driver_at_dropoff') return usual * hashBetween(0.3, 1.4, row.variety, 'door')
  return status === 'driver_enroute_to_pickup' ? usual * hashBetween(0.9, 1.3, row.variety, 'approach') : 1
}
