import { type Delivery, milestones } from '../../contract/index.js'
import { isActive, isProblemStatus } from '../../trade/statuses.js'

/** One line of the progress that a recipient sees. */
export interface TrackingStep {
  label: string
  /** ISO-8601; absent for what is still to come. */
  at?: string | undefined
  reason?: string | undefined
  state: 'done' | 'current' | 'trouble' | 'todo'
}

const labels: Readonly<Record<string, string>> = {
  scheduled: 'Scheduled',
  accepted: 'Order accepted',
  dispatch_failed: 'No driver found yet',
  reassigning: 'Looking for another driver',
  driver_assigned: 'Driver assigned',
  driver_enroute_to_pickup: 'Driver on the way to the store',
  driver_at_pickup: 'Driver at the store',
  pickup_complete: 'Picked up',
  driver_enroute_to_dropoff: 'On the way to you',
  driver_at_dropoff: 'Driver has arrived',
  delivered: 'Delivered',
  failed: 'Could not be delivered',
  return_in_progress: 'On the way back to the store',
  returned: 'Returned to the store',
  cancelled: 'Cancelled',
  expired: 'Expired',
}

/** A status in words for a recipient, those of tomorrow's contract too. */
export function statusLabel(status: string): string {
  const words = status.replaceAll('_', ' ')
  return labels[status] ?? words.charAt(0).toUpperCase() + words.slice(1)
}

/** The steps so far, in order, and those still to come unless the delivery has ended. */
export function trackingSteps({ status, statusHistory }: Delivery): TrackingStep[] {
  const past = (statusHistory ?? []).map(({ status, occurredAt, statusReason }, index, all): TrackingStep => {
    const reached = status ?? ''
    const isCurrent = index === all.length - 1 && isActive(reached)
    return {
      label: statusLabel(reached),
      at: occurredAt ?? undefined,
      reason: statusReason ?? undefined,
      state: isProblemStatus(reached) || reached === 'cancelled' ? 'trouble' : isCurrent ? 'current' : 'done',
    }
  })
  return [...past, ...comingStatuses(status).map((name): TrackingStep => ({ label: statusLabel(name), state: 'todo' }))]
}

function comingStatuses(status: string): readonly string[] {
  if (!isActive(status)) return []
  if (status === 'return_in_progress') return ['returned']
  const at = (milestones as readonly string[]).indexOf(status)
  return milestones.slice(at < 0 ? milestones.indexOf('driver_assigned') : at + 1)
}
