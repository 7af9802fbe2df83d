import {
  deliveryStatuses,
  type Milestone,
  milestones,
  type statusReasonCodes,
  statusReasonRules,
} from './status-words.js'

type Status = (typeof deliveryStatuses)[number]
type ReasonCode = (typeof statusReasonCodes)[number]

/** The statuses that a new delivery may have. */
export const initialStatuses = ['accepted', 'scheduled', 'dispatch_failed'] as const satisfies readonly Status[]

/** The statuses that may directly follow each status. A transition that is not listed does not occur. */
export const statusTransitions: Readonly<Record<Status, readonly Status[]>> = {
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

/** Conditions besides its status that decide a delivery's route. */
export interface RouteConditions {
  /** `capabilities.returns` of the account. */
  returns: boolean
  /** Whether `pickup_complete` is in its history: a package that was never picked up cannot be returned. */
  pickedUp: boolean
  /** The reason of a failure; it decides which milestones come before it. */
  reason?: ReasonCode
}

/** Position of a milestone, from 0; -1 for a status that is not a milestone. */
export function milestoneIndex(status: string): number {
  return (milestones as readonly string[]).indexOf(status)
}

function isMilestone(status: string): status is Milestone {
  return milestoneIndex(status) >= 0
}

/** A failure without a reason happens at the last milestone before `delivered`. */
const defaultFailure: ReasonCode = 'recipient_unavailable'

/**
 * The statuses that a delivery passes through from one status to another, the target last; `undefined` if no legal
 * route exists. Every status in between is a milestone, or `return_in_progress` before `returned`: a route never passes
 * through `reassigning` or `dispatch_failed`.
 */
export function routeBetween(from: Status, to: Status, conditions: RouteConditions): Status[] | undefined {
  if (from === to) return undefined
  if (to === 'failed') return routeToFailure(from, conditions)
  if (to === 'cancelled' || to === 'expired') return statusTransitions[from].includes(to) ? [to] : undefined
  return shortestRoute(from, to, conditions)
}

/** Every status that a delivery can be advanced to from this one, in the contract's order. */
export function reachableStatuses(from: Status, conditions: Omit<RouteConditions, 'reason'>): Status[] {
  return deliveryStatuses.filter((to) => routeBetween(from, to, conditions) !== undefined)
}

/** A delivery fails at the milestone that the reason names, or at its present one if that is later. */
function routeToFailure(from: Status, conditions: RouteConditions): Status[] | undefined {
  const entry = failureEntry(conditions.reason ?? defaultFailure)
  const isPastEntry = milestoneIndex(from) >= milestoneIndex(entry)
  if (isPastEntry) return statusTransitions[from].includes('failed') ? ['failed'] : undefined
  const route = shortestRoute(from, entry, conditions)
  return route === undefined ? undefined : [...route, 'failed']
}

/** Only a delivery that has a driver can fail. */
function failureEntry(reason: ReasonCode): Milestone {
  const { entry } = statusReasonRules[reason]
  return milestoneIndex(entry) < milestoneIndex('driver_assigned') ? 'driver_assigned' : entry
}

function shortestRoute(from: Status, to: Status, conditions: RouteConditions): Status[] | undefined {
  const mayPass = (status: Status) => isMilestone(status) || (status === 'return_in_progress' && to === 'returned')
  const routes: Status[][] = [[from]]
  const seen = new Set<Status>([from])
  for (let route = routes.shift(); route !== undefined; route = routes.shift()) {
    const last = route.at(-1) ?? from
    for (const next of statusTransitions[last]) {
      if (next === to && isAllowed(last, next, conditions)) return [...route.slice(1), next]
      if (seen.has(next) || !mayPass(next) || !isAllowed(last, next, conditions)) continue
      seen.add(next)
      routes.push([...route, next])
    }
  }
  return undefined
}

function isAllowed(from: Status, to: Status, conditions: RouteConditions): boolean {
  if (to !== 'return_in_progress') return true
  return conditions.returns && (from !== 'failed' || conditions.pickedUp)
}
