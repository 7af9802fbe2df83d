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
