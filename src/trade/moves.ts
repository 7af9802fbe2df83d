import {
  type Delivery,
  isKnownDeliveryStatus,
  milestoneIndex,
  reachableStatuses,
  reasonCodesFor,
} from '../contract/index.js'

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
