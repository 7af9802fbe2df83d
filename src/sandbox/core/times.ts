import { type DeliveryCreate, timeMs } from '../../contract/index.js'
import { hourMs, minuteMs } from '../../shared/durations.js'
import type { InstallationRow } from '../model.js'
import type { Point } from './geo/geography.js'
import { approachKm, roadKm } from './geo/places.js'
import type { Store } from './geo/stores.js'
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
