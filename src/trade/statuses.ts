import {
  type Delivery,
  isKnownDeliveryStatus,
  milestoneIndex,
  reachableStatuses,
  reasonCodesFor,
} from '../contract/index.js'
import { type deliveryStatuses, terminalStatuses } from '../contract/internal.js'

type Status = (typeof deliveryStatuses)[number]

/** The stage of a delivery. `other` is active with a status that this version does not know. */
type Stage = 'dispatch' | 'pickup' | 'dropoff' | 'returning' | 'other' | 'done'

/** The meaning of a status at a glance; each surface has its own colour for a tone. */
export type Tone = 'good' | 'bad' | 'warn' | 'active' | 'neutral'

interface StatusFacts {
  stage: Stage
  tone: Tone
  /** Needs attention at any time. */
  isProblem?: true
}

const facts: Readonly<Record<Status, StatusFacts>> = {
  scheduled: { stage: 'dispatch', tone: 'neutral' },
  accepted: { stage: 'dispatch', tone: 'active' },
  dispatch_failed: { stage: 'dispatch', tone: 'warn', isProblem: true },
  reassigning: { stage: 'dispatch', tone: 'warn', isProblem: true },
  driver_assigned: { stage: 'pickup', tone: 'active' },
  driver_enroute_to_pickup: { stage: 'pickup', tone: 'active' },
  driver_at_pickup: { stage: 'pickup', tone: 'active' },
  pickup_complete: { stage: 'dropoff', tone: 'active' },
  driver_enroute_to_dropoff: { stage: 'dropoff', tone: 'active' },
  driver_at_dropoff: { stage: 'dropoff', tone: 'active' },
  delivered: { stage: 'done', tone: 'good' },
  failed: { stage: 'done', tone: 'bad', isProblem: true },
  return_in_progress: { stage: 'returning', tone: 'warn', isProblem: true },
  returned: { stage: 'done', tone: 'warn' },
  cancelled: { stage: 'done', tone: 'neutral' },
  expired: { stage: 'done', tone: 'bad', isProblem: true },
}

/** A status that a newer service has added: under way, and shown as it is. */
const unknownStatus: StatusFacts = { stage: 'other', tone: 'active' }

function factsOf(status: string): StatusFacts {
  return Object.hasOwn(facts, status) ? facts[status as Status] : unknownStatus
}

export const stageOf = (status: string): Stage => factsOf(status).stage
export const toneOf = (status: string): Tone => factsOf(status).tone

/** Reasons of cancellations after which somebody has to see to the order: a carrier gave it back. */
export const unwantedCancellations: readonly string[] = ['cancelled_by_carrier']

/**
 * Whether a status is a problem in itself, or by its reason; a stuck or late order is a problem as well (`problems.ts`).
 */
export const isProblemStatus = (status: string, reason?: string | null): boolean =>
  factsOf(status).isProblem === true || (status === 'cancelled' && unwantedCancellations.includes(reason ?? ''))

/** Whether the delivery is still under way. */
export const isActive = (status: string): boolean => !terminalStatuses.has(status)

/** Whether a delivery ended badly; it then stays in view for a while. */
export const endedBadly = (status: string, reason?: string | null): boolean =>
  !isActive(status) && isProblemStatus(status, reason)

/** The statuses of a delivery that failed: what goes back to the store, too. */
export const failedStatuses: readonly string[] = ['failed', 'return_in_progress', 'returned'] satisfies Status[]

/** Whether a delivery is under way to its recipient, and not back to the store. */
export const isExpected = (status: string): boolean => isActive(status) && status !== 'return_in_progress'

/** Whether the driver has the package: from `pickup_complete` on, and while returning. */
export function isPickedUp(status: string): boolean {
  const stage = stageOf(status)
  return stage === 'dropoff' || stage === 'returning' || status === 'delivered'
}

/** A status that can be simulated next, with its possible reasons. */
export interface Move {
  status: string
  reasons: string[]
}

/**
 * The statuses that can be simulated next, milestones first. The service decides: an account without returns rejects a
 * return.
 */
export function possibleMoves(
  { status, statusHistory }: Pick<Delivery, 'status' | 'statusHistory'>,
  returns = true,
): Move[] {
  if (!isKnownDeliveryStatus(status)) return []
  const pickedUp = (statusHistory ?? []).some((entry) => entry.status === 'pickup_complete')
  return movesTo(reachableStatuses(status, { returns, pickedUp }))
}

/** These statuses as moves, milestones first. */
export function movesTo(statuses: readonly string[]): Move[] {
  const isMilestone = (name: string) => milestoneIndex(name) >= 0
  return [...statuses.filter(isMilestone), ...statuses.filter((name) => !isMilestone(name))].map((name) => ({
    status: name,
    reasons: reasonCodesFor(name),
  }))
}
