import { milestones } from '../contract/index.js'
import { failedStatuses } from './statuses.js'

/** One status of a delivery and when it was reached, in milliseconds since the epoch. */
export interface TimedStatus {
  status: string
  atMs: number
  statusReasonCode?: string | undefined
}

/** The outcome of a delivery. `active` has none yet; a delivery that is returning to the store counts as failed. */
export type DeliveryOutcome = 'delivered' | 'failed' | 'cancelled' | 'expired' | 'active'

/** How a delivery went, by its statuses. Durations are milliseconds, times milliseconds since the epoch. */
export interface DeliveryFigures {
  outcome: DeliveryOutcome
  /** The moment by which it belongs to a period: its acceptance, else its first status. */
  startedMs: number | undefined
  acceptedMs: number | undefined
  deliveredMs: number | undefined
  /** From `accepted` to the first `driver_assigned`. */
  timeToAssignMs: number | undefined
  /** From the last assignment to the store. */
  toStoreMs: number | undefined
  /** From the arrival at the store to `pickup_complete`. */
  pickupDwellMs: number | undefined
  /** From `pickup_complete` to the door. */
  driveMs: number | undefined
  /** From the arrival at the door to `delivered` or `failed`. */
  doorTimeMs: number | undefined
  /** From its failure to the store. */
  returnMs: number | undefined
  /** From `dispatch_failed` or `reassigning` to the next assignment. */
  recoveryMs: number | undefined
  hadDispatchTrouble: boolean
  isScheduled: boolean
  /** Why it ended unhappily, and the furthest milestone that it had reached; `undefined` if it ended otherwise or not at all. */
  endReason: string | undefined
  furthest: string | undefined
}

/** @param steps in the order of time */
export function figuresOf(steps: readonly TimedStatus[]): DeliveryFigures {
  const first = (...statuses: readonly string[]) => steps.find(({ status }) => statuses.includes(status))
  /** A leg ends at what it leads to, and begins at the last of its start before that. */
  const leg = (from: string, toMs: number | undefined) =>
    toMs === undefined ? undefined : between(lastAt(steps, from, toMs), toMs)
  const acceptedMs = first('accepted')?.atMs
  const deliveredMs = first('delivered')?.atMs
  const pickedUpMs = first('pickup_complete')?.atMs
  const failure = first(...failedStatuses)
  const cancelled = first('cancelled')
  const expired = first('expired')
  const end = deliveredMs === undefined ? (failure ?? cancelled ?? expired) : undefined
  const troubleMs = first('dispatch_failed', 'reassigning')?.atMs
  const recovery =
    troubleMs === undefined
      ? undefined
      : steps.find(({ status, atMs }) => status === 'driver_assigned' && atMs >= troubleMs)
  return {
    outcome:
      deliveredMs !== undefined
        ? 'delivered'
        : failure !== undefined
          ? 'failed'
          : cancelled !== undefined
            ? 'cancelled'
            : expired !== undefined
              ? 'expired'
              : 'active',
    startedMs: acceptedMs ?? steps[0]?.atMs,
    acceptedMs,
    deliveredMs,
    timeToAssignMs: between(acceptedMs, first('driver_assigned')?.atMs),
    toStoreMs: leg('driver_assigned', lastAt(steps, 'driver_at_pickup', pickedUpMs)),
    pickupDwellMs: leg('driver_at_pickup', pickedUpMs),
    driveMs: leg('pickup_complete', first('driver_at_dropoff')?.atMs),
    doorTimeMs: leg('driver_at_dropoff', deliveredMs ?? failure?.atMs),
    returnMs: between(failure?.atMs, first('returned')?.atMs),
    recoveryMs: between(troubleMs, recovery?.atMs),
    hadDispatchTrouble: troubleMs !== undefined,
    isScheduled: first('scheduled') !== undefined,
    endReason: end?.statusReasonCode,
    furthest: end && (milestones.findLast((milestone) => first(milestone) !== undefined) ?? 'none'),
  }
}

/** When a status was last reached, before `beforeMs` if that is given. */
function lastAt(
  steps: readonly TimedStatus[],
  status: string,
  beforeMs: number = Number.POSITIVE_INFINITY,
): number | undefined {
  return steps.findLast((step) => step.status === status && step.atMs <= beforeMs)?.atMs
}

/** The time from one moment to another, if both are known. */
export function between(fromMs: number | undefined, toMs: number | undefined): number | undefined {
  return fromMs === undefined || toMs === undefined ? undefined : toMs - fromMs
}
