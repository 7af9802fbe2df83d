import { type KnownDeliveryStatus, type Milestone, milestoneIndex, milestones } from '../../contract/index.js'

/** The milestone after this status; `undefined` after the last and for a status that is not a milestone. */
export function nextMilestone(status: KnownDeliveryStatus): Milestone | undefined {
  const index = milestoneIndex(status)
  return index < 0 ? undefined : milestones[index + 1]
}

/** Whether a driver has the order: from `driver_assigned` until the end of the trip. */
export function hasDriver(status: KnownDeliveryStatus): boolean {
  return milestoneIndex(status) >= milestoneIndex('driver_assigned') || status === 'return_in_progress'
}
