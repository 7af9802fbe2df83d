import { deliveryStatuses, type KnownDeliveryStatus, type KnownStatusReasonCode } from '../../contract/index.js'
import { isMilestone, type Milestone, milestoneIndex } from './milestones.js'
import { statusReasons } from './status-reasons.js'

type Status = KnownDeliveryStatus

/** Every move that a delivery can make in one step. What is not here does not happen. */
export const legalEdges: Readonly<Record<Status, readonly Status[]>> = {
  scheduled: ['accepted', 'expired', 'cancelled'],
  accepted: ['driver_assigned', 'dispatch_failed', 'expired', 'cancelled'],
  dispatch_failed: ['driver_assigned', 'reassigning', 'expired', 'cancelled'],
  reassigning: ['driver_assigned', 'dispatch_failed', 'expired', 'cancelled'],
  driver_assigned: ['driver_enroute_to_pickup', 'reassigning', 'failed', 'cancelled'],
  driver_enroute_to_pickup: ['driver_at_pickup', 'reassigning', 'failed', 'cancelled'],
  driver_at_pickup: ['pickup_complete', 'reassigning', 'failed', 'cancelled'],
  pickup_complete: ['driver_enroute_to_dropoff', 'failed', 'cancelled'],
  driver_enroute_to_dropoff: ['driver_at_dropoff', 'failed', 'cancelled'],
  driver_at_dropoff: ['delivered', 'return_in_progress', 'failed', 'cancelled'],
  delivered: [],
  failed: ['return_in_progress'],
  return_in_progress: ['returned', 'cancelled'],
  returned: [],
  cancelled: [],
  expired: [],
}

/** The statuses that a delivery may begin in. */
export const initialStatuses = ['accepted', 'scheduled', 'dispatch_failed'] as const

/** What the way of a delivery depends on beside its status. */
export interface RouteConditions {
  /** `capabilities.returns` of the account. */
  returns: boolean
  /** Whether `pickup_complete` is in its history: nothing can be returned that was never taken. */
  pickedUp: boolean
  /** The reason that a failure is to have; it decides which milestone comes before it. */
  reason?: KnownStatusReasonCode
}

/** The furthest milestone comes before a failure for which no reason is given. */
const defaultFailure: KnownStatusReasonCode = 'recipient_unavailable'

/**
 * The statuses that a delivery passes through from one to another, the target last; `undefined` where there is no
 * legal way. Whatever lies between is a milestone, or `return_in_progress` before `returned`: a delivery never strays
 * into `reassigning` or `dispatch_failed` that nobody asked for.
 */
export function routeBetween(from: Status, to: Status, conditions: RouteConditions): Status[] | undefined {
  if (from === to) return undefined
  if (to === 'failed') return routeToFailure(from, conditions)
  if (to === 'cancelled' || to === 'expired') return legalEdges[from].includes(to) ? [to] : undefined
  return shortestRoute(from, to, conditions)
}

/** A failure happens at the milestone that its reason names, or wherever the delivery is if that is past it. */
function routeToFailure(from: Status, conditions: RouteConditions): Status[] | undefined {
  const entry = failureEntry(conditions.reason ?? defaultFailure)
  const isPastEntry = milestoneIndex(from) >= milestoneIndex(entry)
  if (isPastEntry) return legalEdges[from].includes('failed') ? ['failed'] : undefined
  const way = shortestRoute(from, entry, conditions)
  return way === undefined ? undefined : [...way, 'failed']
}

/** No failure happens before there is a driver. */
function failureEntry(reason: KnownStatusReasonCode): Milestone {
  const { entry } = statusReasons[reason]
  return milestoneIndex(entry) < milestoneIndex('driver_assigned') ? 'driver_assigned' : entry
}

function shortestRoute(from: Status, to: Status, conditions: RouteConditions): Status[] | undefined {
  const mayPass = (status: Status) => isMilestone(status) || (status === 'return_in_progress' && to === 'returned')
  const routes: Status[][] = [[from]]
  const seen = new Set<Status>([from])
  for (let route = routes.shift(); route !== undefined; route = routes.shift()) {
    const last = route.at(-1) ?? from
    for (const next of legalEdges[last]) {
      if (next === to && isOpen(last, next, conditions)) return [...route.slice(1), next]
      if (seen.has(next) || !mayPass(next) || !isOpen(last, next, conditions)) continue
      seen.add(next)
      routes.push([...route, next])
    }
  }
  return undefined
}

function isOpen(from: Status, to: Status, conditions: RouteConditions): boolean {
  if (to !== 'return_in_progress') return true
  return conditions.returns && (from !== 'failed' || conditions.pickedUp)
}

/** Every status that a delivery can be advanced to from here, in the order of the contract. */
export function allowedTargets(
  from: Status,
  conditions: Omit<RouteConditions, 'reason'> = { returns: true, pickedUp: true },
): Status[] {
  return deliveryStatuses.filter((to) => routeBetween(from, to, conditions) !== undefined)
}
