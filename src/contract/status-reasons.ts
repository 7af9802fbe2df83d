import type { deliveryStatuses, milestones, statusReasonCodes } from './status-words.js'

type Status = (typeof deliveryStatuses)[number]
type ReasonCode = (typeof statusReasonCodes)[number]

/** A step of a delivery that goes well. */
export type Milestone = (typeof milestones)[number]

/** When a `statusReasonCode` can occur and which statuses it may accompany. */
interface StatusReasonRule {
  /** The status that it leads to unless a return is requested. */
  outcome: 'failed' | 'cancelled' | 'dispatch_failed' | 'expired'
  /** The milestone that a delivery has reached before it occurs. */
  entry: Milestone
  /** The statuses that it may accompany. */
  fits: readonly Status[]
}

function failure(entry: Milestone, ...more: Status[]): StatusReasonRule {
  return { outcome: 'failed', entry, fits: ['failed', 'return_in_progress', ...more] }
}

function cancellation(entry: Milestone): StatusReasonRule {
  return { outcome: 'cancelled', entry, fits: ['cancelled'] }
}

/** The rule of every `statusReasonCode`. The contract names the codes; which status each accompanies is inferred. */
export const statusReasonRules: Readonly<Record<ReasonCode, StatusReasonRule>> = {
  recipient_unavailable: failure('driver_at_dropoff'),
  recipient_refused: failure('driver_at_dropoff'),
  recipient_not_at_cq: failure('driver_at_dropoff'),
  address_not_found: failure('driver_enroute_to_dropoff'),
  address_inaccessible: failure('driver_at_dropoff'),
  unsupported_destination_type: failure('driver_enroute_to_dropoff'),
  denied_at_gate: failure('driver_enroute_to_dropoff'),
  credential_expired: failure('driver_enroute_to_dropoff'),
  credential_not_valid_for_installation: failure('driver_enroute_to_dropoff'),
  gate_closed: failure('driver_enroute_to_dropoff', 'dispatch_failed', 'expired'),
  fpcon_elevated: failure('driver_enroute_to_dropoff', 'dispatch_failed'),
  escort_unavailable: failure('driver_enroute_to_dropoff'),
  verification_failed: failure('driver_at_dropoff'),
  age_verification_failed: failure('driver_at_dropoff'),
  photography_prohibited_no_substitute: failure('driver_at_dropoff'),
  package_damaged: failure('pickup_complete'),
  package_not_ready: { outcome: 'failed', entry: 'driver_at_pickup', fits: ['failed'] },
  no_carrier_available: { outcome: 'dispatch_failed', entry: 'accepted', fits: ['dispatch_failed', 'expired'] },
  outside_service_area: { outcome: 'dispatch_failed', entry: 'accepted', fits: ['dispatch_failed'] },
  quote_expired: { outcome: 'expired', entry: 'accepted', fits: ['dispatch_failed', 'expired'] },
  cancelled_by_merchant: cancellation('driver_assigned'),
  cancelled_by_recipient: cancellation('driver_enroute_to_pickup'),
  cancelled_by_carrier: cancellation('driver_enroute_to_pickup'),
  cancelled_by_service: cancellation('accepted'),
  weather_or_road_closure: failure('driver_enroute_to_dropoff', 'dispatch_failed', 'expired'),
}

/** The reason codes that may accompany a status, in the contract's order; none for a status that takes no reason. */
export function reasonCodesFor(status: string): ReasonCode[] {
  const rules = Object.entries(statusReasonRules) as [ReasonCode, StatusReasonRule][]
  return rules.filter(([, { fits }]) => fits.some((fitting) => fitting === status)).map(([code]) => code)
}
