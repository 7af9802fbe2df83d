import type { KnownDeliveryStatus, KnownStatusReasonCode } from '../../contract/index.js'
import type { Milestone } from './milestones.js'

/** What a `statusReasonCode` says, where it leads and from which milestone on it can happen. */
export interface StatusReason {
  /** The status that it ends in unless a return is asked for. */
  outcome: 'failed' | 'cancelled' | 'dispatch_failed' | 'expired'
  /** The milestone that a delivery has reached before it happens. */
  entry: Milestone
  /** The statuses that it may accompany. */
  fits: readonly KnownDeliveryStatus[]
  prose: string
}

const atTheStop = ['failed', 'return_in_progress'] as const
const beforeDispatch = ['dispatch_failed', 'expired'] as const

function failure(entry: Milestone, prose: string, ...more: KnownDeliveryStatus[]): StatusReason {
  return { outcome: 'failed', entry, fits: [...atTheStop, ...more], prose }
}

function cancellation(entry: Milestone, prose: string): StatusReason {
  return { outcome: 'cancelled', entry, fits: ['cancelled'], prose }
}

export const statusReasons: Readonly<Record<KnownStatusReasonCode, StatusReason>> = {
  recipient_unavailable: failure('driver_at_dropoff', 'Nobody was there to take the delivery.'),
  recipient_refused: failure('driver_at_dropoff', 'The recipient refused the delivery.'),
  recipient_not_at_cq: failure('driver_at_dropoff', 'The recipient could not be found at the CQ desk.'),
  address_not_found: failure('driver_enroute_to_dropoff', 'The driver could not find the address.'),
  address_inaccessible: failure('driver_at_dropoff', 'The driver could not get to the door.'),
  unsupported_destination_type: failure(
    'driver_enroute_to_dropoff',
    'The destination is of a kind that is not served.',
  ),
  denied_at_gate: failure('driver_enroute_to_dropoff', 'The driver was turned away at the gate.'),
  credential_expired: failure('driver_enroute_to_dropoff', "The driver's credential has expired."),
  credential_not_valid_for_installation: failure(
    'driver_enroute_to_dropoff',
    "The driver's credential is not valid for this installation.",
  ),
  gate_closed: failure('driver_enroute_to_dropoff', 'Every gate for commercial vehicles is closed.', ...beforeDispatch),
  fpcon_elevated: failure(
    'driver_enroute_to_dropoff',
    'The force protection condition keeps deliveries out.',
    'dispatch_failed',
  ),
  escort_unavailable: failure('driver_enroute_to_dropoff', 'No escort was available at the gate.'),
  verification_failed: failure('driver_at_dropoff', 'A required check at the door failed.'),
  age_verification_failed: failure('driver_at_dropoff', 'The recipient is too young, or could not prove otherwise.'),
  photography_prohibited_no_substitute: failure(
    'driver_at_dropoff',
    'Photography is prohibited there and nothing was named to take its place.',
  ),
  package_damaged: failure('pickup_complete', 'The package was damaged on the way.'),
  package_not_ready: {
    outcome: 'failed',
    entry: 'driver_at_pickup',
    fits: ['failed'],
    prose: 'The store did not have the package ready.',
  },
  no_carrier_available: {
    outcome: 'dispatch_failed',
    entry: 'accepted',
    fits: beforeDispatch,
    prose: 'No driver could be found.',
  },
  outside_service_area: {
    outcome: 'dispatch_failed',
    entry: 'accepted',
    fits: ['dispatch_failed'],
    prose: 'No driver serves this area.',
  },
  quote_expired: {
    outcome: 'expired',
    entry: 'accepted',
    fits: beforeDispatch,
    prose: 'The quote lapsed before a driver was found.',
  },
  cancelled_by_merchant: cancellation('driver_assigned', 'The merchant cancelled the delivery.'),
  cancelled_by_recipient: cancellation('driver_enroute_to_pickup', 'The recipient cancelled the delivery.'),
  cancelled_by_carrier: cancellation('driver_enroute_to_pickup', 'The carrier cancelled the delivery.'),
  cancelled_by_service: cancellation('accepted', 'The service cancelled the delivery.'),
  weather_or_road_closure: failure(
    'driver_enroute_to_dropoff',
    'The weather or a closed road made the trip impossible.',
    ...beforeDispatch,
  ),
}
