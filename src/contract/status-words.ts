/** Every delivery status, in the order in which a delivery passes through them. */
export const deliveryStatuses = [
  'scheduled',
  'accepted',
  'dispatch_failed',
  'reassigning',
  'driver_assigned',
  'driver_enroute_to_pickup',
  'driver_at_pickup',
  'pickup_complete',
  'driver_enroute_to_dropoff',
  'driver_at_dropoff',
  'delivered',
  'failed',
  'return_in_progress',
  'returned',
  'cancelled',
  'expired',
] as const

/** The statuses of a delivery without problems, in order. */
export const milestones = [
  'scheduled',
  'accepted',
  'driver_assigned',
  'driver_enroute_to_pickup',
  'driver_at_pickup',
  'pickup_complete',
  'driver_enroute_to_dropoff',
  'driver_at_dropoff',
  'delivered',
] as const satisfies readonly (typeof deliveryStatuses)[number][]

type StatusWord = (typeof deliveryStatuses)[number]

/**
 * Final statuses. `failed` is one of them: cancel and update are refused, although a return may still follow.
 */
export const terminalStatuses: ReadonlySet<string> = new Set<StatusWord>([
  'delivered',
  'failed',
  'returned',
  'cancelled',
  'expired',
])

/** Statuses that come with a `statusReasonCode`. */
export const statusesWithReason: ReadonlySet<string> = new Set<StatusWord>([
  'failed',
  'cancelled',
  'dispatch_failed',
  'expired',
  'return_in_progress',
])

/** Whether this version knows the delivery status. */
export function isKnownDeliveryStatus(status: string): status is StatusWord {
  return (deliveryStatuses as readonly string[]).includes(status)
}

/** `statusReasonCode` values by group, as in the contract. */
export const statusReasonGroups = {
  recipient: ['recipient_unavailable', 'recipient_refused', 'recipient_not_at_cq'],
  address: ['address_not_found', 'address_inaccessible', 'unsupported_destination_type'],
  installationAccess: [
    'denied_at_gate',
    'credential_expired',
    'credential_not_valid_for_installation',
    'gate_closed',
    'fpcon_elevated',
    'escort_unavailable',
  ],
  verification: ['verification_failed', 'age_verification_failed', 'photography_prohibited_no_substitute'],
  package: ['package_damaged', 'package_not_ready'],
  dispatch: ['no_carrier_available', 'outside_service_area', 'quote_expired'],
  cancellation: ['cancelled_by_merchant', 'cancelled_by_recipient', 'cancelled_by_carrier', 'cancelled_by_service'],
  external: ['weather_or_road_closure'],
} as const

/** The name of a group in `statusReasonGroups`. */
export type StatusReasonGroup = keyof typeof statusReasonGroups
type ReasonWord = (typeof statusReasonGroups)[StatusReasonGroup][number]

/** Every `statusReasonCode` of the contract. */
export const statusReasonCodes: readonly ReasonWord[] = /* @__PURE__ */ Object.values(statusReasonGroups).flat()

/** Whether this version knows the `statusReasonCode`. */
export function isKnownStatusReasonCode(code: string): code is ReasonWord {
  return (statusReasonCodes as readonly string[]).includes(code)
}

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
