import { deliveryStatuses } from '../contract/index.js'

/** The columns of the board, from left to right. */
export const stages = [
  { name: 'problems', title: 'PROBLEMS' },
  { name: 'dispatch', title: 'DISPATCH' },
  { name: 'pickup', title: 'TO STORE' },
  { name: 'dropoff', title: 'TO DOOR' },
] as const

export type StageName = (typeof stages)[number]['name']

const stageOfStatus: Readonly<Record<(typeof deliveryStatuses)[number], StageName | undefined>> = {
  scheduled: 'dispatch',
  accepted: 'dispatch',
  dispatch_failed: 'problems',
  reassigning: 'problems',
  driver_assigned: 'pickup',
  driver_enroute_to_pickup: 'pickup',
  driver_at_pickup: 'pickup',
  pickup_complete: 'dropoff',
  driver_enroute_to_dropoff: 'dropoff',
  driver_at_dropoff: 'dropoff',
  delivered: undefined,
  failed: 'problems',
  return_in_progress: 'problems',
  returned: undefined,
  cancelled: undefined,
  expired: 'problems',
}

/** The column of a status; `undefined` if nothing is left to do. A status that nobody knows is a problem. */
export function stageOf(status: string): StageName | undefined {
  return Object.hasOwn(stageOfStatus, status) ? stageOfStatus[status as keyof typeof stageOfStatus] : 'problems'
}

const shortWords: Readonly<Record<string, string>> = {
  driver_assigned: 'assigned',
  driver_enroute_to_pickup: 'to store',
  driver_at_pickup: 'at store',
  pickup_complete: 'picked up',
  driver_enroute_to_dropoff: 'to door',
  driver_at_dropoff: 'at door',
  dispatch_failed: 'no driver',
  return_in_progress: 'returning',
}

/** A status for a narrow column under the title of its stage. */
export function shortStatus(status: string): string {
  return Object.hasOwn(shortWords, status) ? (shortWords[status] ?? status) : status
}

/** The statuses of deliveries that are under way. */
export const activeStatuses = deliveryStatuses.filter(
  (status) => stageOf(status) !== undefined && status !== 'failed' && status !== 'expired',
)
