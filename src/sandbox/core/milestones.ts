import { type KnownDeliveryStatus, milestones } from '../../contract/index.js'

export type Milestone = (typeof milestones)[number]

/** Place on the way, from 0; -1 for a status that is no milestone. */
export function milestoneIndex(status: string): number {
  return (milestones as readonly string[]).indexOf(status)
}

export function isMilestone(status: string): status is Milestone {
  return milestoneIndex(status) >= 0
}

/** The milestone after this status; `undefined` after the last and for a status that is no milestone. */
export function nextMilestone(status: KnownDeliveryStatus): Milestone | undefined {
  const index = milestoneIndex(status)
  return index < 0 ? undefined : milestones[index + 1]
}

/** Whether the package is with the driver: from `pickup_complete` on, and on the way back. */
export function isPickedUp(status: KnownDeliveryStatus): boolean {
  return milestoneIndex(status) >= milestoneIndex('pickup_complete') || status === 'return_in_progress'
}

/** Whether a driver has the order: from `driver_assigned` until the end of the trip. */
export function hasDriver(status: KnownDeliveryStatus): boolean {
  return milestoneIndex(status) >= milestoneIndex('driver_assigned') || status === 'return_in_progress'
}
