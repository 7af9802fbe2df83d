import {
  type Delivery,
  isKnownDeliveryStatus,
  milestoneIndex,
  reachableStatuses,
  reasonCodesFor,
} from '../../contract/index.js'

/** A status that can be simulated next, with its possible reasons. */
export interface Move {
  status: string
  reasons: string[]
}

/**
 * The statuses that can be simulated next, milestones first. The service decides: an account without returns rejects a
 * return.
 */
export function possibleMoves({ status, statusHistory }: Pick<Delivery, 'status' | 'statusHistory'>): Move[] {
  if (!isKnownDeliveryStatus(status)) return []
  const pickedUp = (statusHistory ?? []).some((entry) => entry.status === 'pickup_complete')
  const reachable = reachableStatuses(status, { returns: true, pickedUp })
  const isMilestone = (name: string) => milestoneIndex(name) >= 0
  return [...reachable.filter(isMilestone), ...reachable.filter((name) => !isMilestone(name))].map((name) => ({
    status: name,
    reasons: reasonCodesFor(name),
  }))
}
