import { milestoneIndex, milestones } from '../../contract/index.js'
import { minuteMs } from '../../shared/durations.js'
import type { DeliveryRow, World } from '../model.js'
import { locationIntervalMs, plannedStayMs, stayMs } from './autopilot-plan.js'
import type { DeliveryDraft } from './delivery-draft.js'
import type { Point } from './geo/geography.js'
import { rounded, routePoints } from './side-effects.js'
import { timestamp } from './trip-times.js'

/** The statuses in which the driver is on the road. */
const legStatuses: ReadonlySet<string> = new Set([
  'driver_enroute_to_pickup',
  'driver_enroute_to_dropoff',
  'return_in_progress',
])

/** The estimate is sent again when it has moved by more than this. */
const etaToleranceMs = 3 * minuteMs

const wobbleDegrees = 60 / 111_195

/** When the driver next says where they are, on a leg that ends at `toMs`; `undefined` if nobody is told. */
export function nextLocationMs(world: World, row: DeliveryRow, toMs: number): number | undefined {
  if (!legStatuses.has(row.status) || row.shownStatus !== undefined || row.driverId === undefined) return undefined
  if (!world.account.capabilities.driverLocationStreaming) return undefined
  const sinceMs = Math.max(row.location?.updatedAtMs ?? 0, row.history.at(-1)?.atMs ?? 0)
  const intervalMs = locationIntervalMs(row, sinceMs)
  return intervalMs !== undefined && sinceMs + intervalMs < toMs ? sinceMs + intervalMs : undefined
}

/** Tells where the driver is at `atMs`, and when they will arrive if that has changed. */
export function tellLocation(draft: DeliveryDraft, atMs: number, leg: { fromMs: number; toMs: number }): void {
  const progress = Math.min(1, Math.max(0, (atMs - leg.fromMs) / Math.max(1, leg.toMs - leg.fromMs)))
  draft.row.location = { ...rounded(positionOn(draft, progress)), updatedAtMs: draft.nextMs }
  draft.inform('delivery.driver_location_updated')
  const eta = etaAt(draft, progress)
  const told = draft.row.autopilot?.eta
  const hasMoved =
    told === undefined ||
    Math.abs(told.dropoffMs - eta.dropoffMs) > etaToleranceMs ||
    Math.abs(told.pickupMs - eta.pickupMs) > etaToleranceMs
  if (hasMoved && draft.row.status !== 'return_in_progress') tellEta(draft, eta)
}

/** Keeps the estimate that comes with a driver, and tells the new one when the first leg ends. */
export function noteArrival(draft: DeliveryDraft): void {
  const { row } = draft
  if (row.pace === 'instant' || row.pace === 'manual') return
  if (row.status === 'driver_assigned') row.autopilot = { ...row.autopilot, eta: etaAt(draft, 0) }
  if (row.status === 'driver_at_pickup') tellEta(draft, etaAt(draft, 0))
}

/** Tells the arrivals as they are after something has changed them. */
export function tellNewEta(draft: DeliveryDraft): void {
  tellEta(draft, etaAt(draft, 0))
}

function tellEta(draft: DeliveryDraft, eta: { pickupMs: number; dropoffMs: number }): void {
  draft.row.autopilot = { ...draft.row.autopilot, eta }
  draft.inform('delivery.eta_updated', {
    eta: { pickup: timestamp(eta.pickupMs), dropoff: timestamp(eta.dropoffMs) },
  })
}

/** The arrivals as they look from here: what is planned, corrected by the traffic as far as the driver has met it. */
function etaAt({ world, row }: DeliveryDraft, progress: number): { pickupMs: number; dropoffMs: number } {
  const sinceMs = row.history.findLast(({ status }) => status === row.status)?.atMs ?? row.updatedAtMs
  const here = milestoneIndex(row.status)
  const untilMs = (target: 'driver_at_pickup' | 'driver_at_dropoff') => {
    const ahead = milestones.slice(here, milestoneIndex(target))
    return ahead.reduce((sum, status) => sum + estimatedStayMs(world, row, status, progress), sinceMs)
  }
  const reachedMs = row.history.findLast(({ status }) => status === 'driver_at_pickup')?.atMs
  const isBehind = here >= milestoneIndex('driver_at_pickup')
  return {
    pickupMs: isBehind && reachedMs !== undefined ? reachedMs : untilMs('driver_at_pickup'),
    dropoffMs: untilMs('driver_at_dropoff'),
  }
}

function estimatedStayMs(world: World, row: DeliveryRow, status: (typeof milestones)[number], progress: number) {
  const planned = plannedStayMs(world, row, status)
  const known = status === row.status ? progress : 0
  return Math.round(planned + (stayMs(world, row, status) - planned) * known)
}

/** A straight way with a slight wobble, so that no two positions are alike. */
function positionOn(draft: DeliveryDraft, progress: number): Point {
  const { depot, store, stop } = routePoints(draft)
  const [from, to] =
    draft.row.status === 'driver_enroute_to_pickup'
      ? [depot, store]
      : draft.row.status === 'return_in_progress'
        ? [stop, store]
        : [store, stop]
  const wobble = wobbleDegrees * Math.sin(progress * 6 * Math.PI)
  return {
    latitude: from.latitude + (to.latitude - from.latitude) * progress + wobble,
    longitude: from.longitude + (to.longitude - from.longitude) * progress - wobble,
  }
}
