// Written by `npm run contract-types` from the contract's schemas; a test checks that it is current.
import type { KnownErrorCode } from './error-codes.js'
import type { DeliveryEventType, DriverEventType, InstallationEventType, KnownEventType } from './event-types.js'

/** An error code: a known one, or one that a newer service has added. */
export type ErrorCode = KnownErrorCode | (string & {})

/** An event type: a known one, or one that a newer service has added. */
export type EventType = KnownEventType | (string & {})

declare const newer: unique symbol

/** An event type that this version does not know. The mark lets `switch` tell it from the known ones. */
export type UnknownEventType = `${string}.${string}` & { readonly [newer]: true }

/** A time in a request: RFC 3339 with `Z` or an offset, or a `Date`. */
export type Time = string | Date

/** Why a delivery is cancelled. It is recorded and not shown to the driver. */
export interface CancelRequest {
  /** A short reason, such as `customer_cancelled`; at most 64 characters. */
  reason?: string | undefined
  /** More about the reason, at most 500 characters. */
  reasonNotes?: string | undefined
}

/** What the account can do. */
export interface Capabilities {
  /** Whether carriers of a marketplace or an owned fleet deliver. */
  accountType: 'marketplace' | 'owned_fleet' | (string & {})
  /** The feature flags of the account. An absent one is off. */
  capabilities: {
    /** Whether quotes can be asked for. Null if not known. */
    quotes?: boolean | null | undefined
    /** Whether carriers of the marketplace deliver. Null if not known. */
    marketplaceDispatch?: boolean | null | undefined
    /** Whether drivers of your own fleet deliver: teams, drivers and `dispatch`. Null if not known. */
    ownedFleetDispatch?: boolean | null | undefined
    /** Whether a failed delivery can be returned to the store. Null if not known. */
    returns?: boolean | null | undefined
    /** Whether required verification is enforced at the dropoff. Null if not known. */
    requirementEnforcement?: boolean | null | undefined
    /** Whether deliveries have the location of their driver. Null if not known. */
    driverLocationStreaming?: boolean | null | undefined
    /** Whether several deliveries are combined into one route. Null if not known. */
    routeOptimization?: boolean | null | undefined
    /** Whether `package.items` is used. Null if not known. */
    itemLevelPackage?: boolean | null | undefined
    /** Whether a cancellation can cost a fee, told in `pricing.cancellationFeeCents`. Null if not known. */
    cancellationFees?: boolean | null | undefined
    /** How many requests a second the API key allows. Null if not known. */
    maxRequestsPerSecond?: number | null | undefined
  }
}

/** A delivery: the result of an order. */
export interface Delivery {
  /** The id of the delivery, such as `del_01J…`. */
  deliveryId: string
  /** Your own reference of the order. Null if it has none. */
  clientOrderReference?: string | null | undefined
  /** Where the delivery is. New statuses can appear without notice. */
  status: DeliveryStatus
  /**
   * Why it has this status, in words. Null if there is nothing to say. Wording can change: branch on
   * `statusReasonCode`.
   */
  statusReason?: string | null | undefined
  /** Why it has this status. Null or absent for statuses that need no reason. */
  statusReasonCode?: StatusReasonCode | null | undefined
  /** Every status so far, oldest first. Only `getDelivery` returns it; null or absent elsewhere. */
  statusHistory?: StatusHistoryEntry[] | null | undefined
  /** The store that it is picked up at. Null if it is not told. */
  pickup?: Pickup | null | undefined
  /** Where it goes, and to whom. Null if it is not told. */
  dropoff?: Dropoff | null | undefined
  /** What it costs; all amounts are in cents. Null or absent if nothing is known yet. */
  pricing?: Pricing | null | undefined
  /** The driver. Null or absent as long as none is assigned. */
  driver?: Driver | null | undefined
  /** What was captured at the handover. Null or absent before it. */
  proofOfDelivery?: ProofOfDelivery[] | null | undefined
  /**
   * How the handover is verified in fact, after the rules of cargo and destination. Null or absent if nothing is known
   * yet.
   */
  resolvedVerification?: ResolvedVerification | null | undefined
  /** A page for the recipient that shows where the delivery is. Null or absent if there is none. */
  trackingUrl?: string | null | undefined
  /** When it was created, RFC 3339 in UTC. Null if that is not known. */
  createdAt?: string | null | undefined
  /** When it last changed, RFC 3339 in UTC. Null if that is not known. */
  updatedAt?: string | null | undefined
}

/** An order: what to deliver, from where, to whom and when. */
export interface DeliveryCreate {
  /** Your own reference of the order, 1 to 128 characters, unique in your account. */
  clientOrderReference: string
  /** The quote whose price and carrier to use. It must not have expired. */
  quoteId?: string | undefined
  /** Where the delivery starts. */
  pickup: PickupInput
  /** Where the delivery goes, and to whom. */
  dropoff: DropoffInput
  /** When to pick up and to deliver. Absent means as soon as possible. */
  timeWindows?: TimeWindows | undefined
  /** What is delivered. */
  package?: PackageInput | undefined
  /** How a driver of an owned fleet is chosen. */
  dispatch?: DispatchInput | undefined
  /** How the handover is verified. */
  verification?: VerificationInput | undefined
  /** How it is handed over, and what to do if nobody takes it. */
  handling?: HandlingInput | undefined
  /** The tip for the driver, in cents. */
  tipAmountCents?: number | undefined
  /** Anything of your own; it is not shown to the driver. */
  metadata?: Record<string, unknown> | undefined
}

/** Something happened to a delivery. Its snapshot counts more than what events before it said. */
export interface DeliveryEvent {
  /** The id of the event, equal to the header `webhook-id`. Handle each id only once. */
  eventId: string
  /** What happened to the delivery, such as `delivery.delivered`. */
  eventType: DeliveryEventType
  /** When it happened, RFC 3339 in UTC. */
  occurredAt: string
  /** `false` for everything of a sandbox. Null if not known. */
  livemode?: boolean | null | undefined
  /** The status before this event. Null or absent if it changed none. */
  previousStatus?: DeliveryStatus | null | undefined
  /** The delivery as it was when the event happened. */
  delivery: Delivery
  /** Estimated times of arrival. Null or absent unless they changed. */
  eta?: {
    /** When the driver is expected at the store, RFC 3339 in UTC. Null if that is not known. */
    pickup?: string | null | undefined
    /** When the driver is expected at the dropoff, RFC 3339 in UTC. Null if that is not known. */
    dropoff?: string | null | undefined
  } | null | undefined
}

/** A delivery in a list; `getDelivery` has the rest. */
export interface DeliveryListItem {
  /** The id of the delivery, such as `del_01J…`. */
  deliveryId: string
  /** Your own reference of the order. Null if it has none. */
  clientOrderReference?: string | null | undefined
  /** Where the delivery is. New statuses can appear without notice. */
  status: DeliveryStatus
  /** When it was created, RFC 3339 in UTC. Null if that is not known. */
  createdAt?: string | null | undefined
  /** When it last changed, RFC 3339 in UTC. Null if that is not known. */
  updatedAt?: string | null | undefined
}

/** A page of deliveries, newest first. */
export interface DeliveryPage {
  /** The deliveries of this page. */
  deliveries: DeliveryListItem[]
  /** The `cursor` of the next page. Null on the last one. */
  nextCursor?: string | null | undefined
}

/** A status of a delivery: a known one, or one that a newer service has added. */
export type DeliveryStatus = 'scheduled' | 'accepted' | 'dispatch_failed' | 'reassigning' | 'driver_assigned' | 'driver_enroute_to_pickup' | 'driver_at_pickup' | 'pickup_complete' | 'driver_enroute_to_dropoff' | 'driver_at_dropoff' | 'delivered' | 'failed' | 'return_in_progress' | 'returned' | 'cancelled' | 'expired' | (string & {})

/** What to change of a delivery: what is absent stays, and null clears an optional value. */
export interface DeliveryUpdate {
  /** Your own reference of the order, 1 to 128 characters, unique in your account. */
  clientOrderReference?: string | null | undefined
  /** The quote whose price and carrier to use. It must not have expired. */
  quoteId?: string | null | undefined
  /** Where the delivery starts. */
  pickup?: PickupUpdate | null | undefined
  /** Where the delivery goes, and to whom. */
  dropoff?: DropoffUpdate | null | undefined
  /** When to pick up and to deliver. Absent means as soon as possible. */
  timeWindows?: TimeWindowsUpdate | null | undefined
  /** What is delivered. */
  package?: PackageUpdate | null | undefined
  /** How a driver of an owned fleet is chosen. */
  dispatch?: DispatchUpdate | null | undefined
  /** How the handover is verified. */
  verification?: VerificationUpdate | null | undefined
  /** How it is handed over, and what to do if nobody takes it. */
  handling?: HandlingUpdate | null | undefined
  /** The tip for the driver, in cents. */
  tipAmountCents?: number | null | undefined
  /** Anything of your own; it is not shown to the driver. */
  metadata?: Record<string, unknown> | null | undefined
}

/** How a driver of an owned fleet is chosen. */
export interface DispatchInput {
  /** Whether a team takes it from its queue, or a driver is assigned. Needs the capability `ownedFleetDispatch`. */
  mode?: 'team_queue' | 'auto_assign' | undefined
  /** The id of the team that takes it. */
  teamReference?: string | undefined
}

/** What to change of how a driver is chosen. */
export interface DispatchUpdate {
  /** Whether a team takes it from its queue, or a driver is assigned. Needs the capability `ownedFleetDispatch`. */
  mode?: 'team_queue' | 'auto_assign' | null | undefined
  /** The id of the team that takes it. */
  teamReference?: string | null | undefined
}

/** The driver of a delivery. */
export interface Driver {
  /** The id of the driver. Null if not known. */
  id?: string | null | undefined
  /** The name. Null if it is not known. */
  name?: string | null | undefined
  /** The phone number in E.164. Null if it is not known. */
  phoneNumber?: string | null | undefined
  /** The vehicle, such as `Yellow Kia Soul`. Null if it is not known. */
  vehicleDescription?: string | null | undefined
  /** Where the driver was last seen. Null or absent if that is not known. */
  location?: DriverLocation | null | undefined
}

/** Something happened to a driver of an owned fleet. */
export interface DriverEvent {
  /** The id of the event, equal to the header `webhook-id`. Handle each id only once. */
  eventId: string
  /** What happened to the driver, such as `driver.duty_changed`. */
  eventType: DriverEventType
  /** When it happened, RFC 3339 in UTC. */
  occurredAt: string
  /** `false` for everything of a sandbox. Null if not known. */
  livemode?: boolean | null | undefined
  /** The driver; an event about duty may only have `id`, `name` and `onDuty`. */
  driver: DriverProfile
}

/** Where a driver was last seen. */
export interface DriverLocation {
  /** Degrees north, -90 to 90. */
  latitude: number
  /** Degrees east, -180 to 180. */
  longitude: number
  /** When the driver was seen there, RFC 3339 in UTC. Null if that is not known. */
  updatedAt?: string | null | undefined
}

/** A driver of the fleet. Marketplace accounts may only see drivers on active deliveries. */
export interface DriverProfile {
  /** The id of the driver. */
  id: string
  /** The name. Null if it is not known. */
  name?: string | null | undefined
  /** The phone number in E.164. Null if it is not known. */
  phoneNumber?: string | null | undefined
  /** Whether the driver is at work. Null if that is not known. */
  onDuty?: boolean | null | undefined
  /** Whether the driver takes part in dispatch at all. Null if that is not known. */
  status?: 'active' | 'inactive' | (string & {}) | null | undefined
  /** The ids of the teams of the driver. Null if they are not known. */
  teams?: string[] | null | undefined
  /** The vehicle, such as `Yellow Kia Soul`. Null if it is not known. */
  vehicleDescription?: string | null | undefined
}

/** Where a delivery goes, and to whom. */
export interface Dropoff {
  /** Where to deliver: one line, or its parts. Null if it is not told. */
  address?: string | {
    /** Street and number. Null if they are not known. */
    line1?: string | null | undefined
    /** The city. Null if it is not known. */
    city?: string | null | undefined
    /** The US state or territory, two letters. Null if it is not known. */
    state?: string | null | undefined
    /** The US postal code, 5 or 9 digits. Null if it is not known. */
    postalCode?: string | null | undefined
  } | null | undefined
  /** The person who receives the delivery. Null if it is not told. */
  contactName?: string | null | undefined
  /** The phone number of the recipient in E.164. Null if it is not told. */
  contactPhone?: string | null | undefined
  /** What the driver should know. Null if there is nothing. */
  instructions?: string | null | undefined
  /** The military installation that the address is on. Null or absent elsewhere. */
  installation?: {
    /** The code of the installation, such as `FTBRAGG`. Null if it is not known. */
    code?: string | null | undefined
    /** The gate to enter by. Null or absent if it was left open. */
    gate?: string | null | undefined
  } | null | undefined
  /** Where on the installation the recipient is. Null or absent elsewhere. */
  unit?: {
    /** The number of the building. Null if it was not given. */
    buildingNumber?: string | null | undefined
    /** The room or suite. Null if it was not given. */
    room?: string | null | undefined
    /** The military unit. Null if it was not given. */
    unitDesignation?: string | null | undefined
    /** Where on the installation it is handed over. Null or absent if it was left open. */
    deliveryPoint?: 'cq_desk' | 'mailroom' | 'gate_handoff' | 'visitor_center' | (string & {}) | null | undefined
  } | null | undefined
}

/** Where an order goes, and to whom. */
export interface DropoffInput {
  /** Where to deliver: one line, or its parts. */
  address: string | StructuredAddress
  /** The person who receives the delivery. */
  contactName: string
  /** The phone number of the recipient in E.164, such as `+19105550142`. */
  contactPhone: string
  /** What the driver should know, at most 280 characters. */
  instructions?: string | undefined
  /** The military installation that the address is on. Absent elsewhere. */
  installation?: InstallationStop | undefined
  /** Where on the installation the recipient is. Absent elsewhere. */
  unit?: UnitStop | undefined
}

/** What to change of the dropoff. */
export interface DropoffUpdate {
  /** Where to deliver: one line, or its parts. */
  address?: string | StructuredAddressUpdate | null | undefined
  /** The person who receives the delivery. */
  contactName?: string | null | undefined
  /** The phone number of the recipient in E.164, such as `+19105550142`. */
  contactPhone?: string | null | undefined
  /** What the driver should know, at most 280 characters. */
  instructions?: string | null | undefined
  /** The military installation that the address is on. Absent elsewhere. */
  installation?: InstallationStopUpdate | null | undefined
  /** Where on the installation the recipient is. Absent elsewhere. */
  unit?: UnitStopUpdate | null | undefined
}

/** How the handover is verified at the dropoff. Rules of cargo and destination may add to it. */
export interface DropoffVerification {
  /** A photo of the handover. Some installations prohibit photography. */
  photo?: {
    /** How it is wanted: not at all, if possible, or without exception. */
    level?: 'none' | 'preferred' | 'required' | undefined
    /** What to do instead where photography is prohibited. */
    substituteWhenProhibited?: 'photo' | 'signature' | 'identity' | 'pinCode' | 'barcode' | undefined
  } | undefined
  /** A signature of the recipient. */
  signature?: {
    /** How it is wanted: not at all, if possible, or without exception. */
    level?: 'none' | 'preferred' | 'required' | undefined
    /** Whether to ask for the name of the person who signs. */
    collectSignerName?: boolean | undefined
  } | undefined
  /** Whether the recipient has to show an identity document. */
  identity?: {
    /** How it is wanted: not at all, if possible, or without exception. */
    level?: 'none' | 'preferred' | 'required' | undefined
    /** The age in years that the recipient has to prove, 0 to 150. */
    minimumAge?: number | undefined
  } | undefined
  /** A code that the recipient tells the driver. */
  pinCode?: {
    /** How it is wanted: not at all, if possible, or without exception. */
    level?: 'none' | 'preferred' | 'required' | undefined
    /** Where the code comes from. */
    source?: string | undefined
  } | undefined
  /** Barcodes that the driver scans. */
  barcode?: {
    /** How it is wanted: not at all, if possible, or without exception. */
    level?: 'none' | 'preferred' | 'required' | undefined
    /** The barcodes to be scanned, at most 1,000. */
    values?: string[] | undefined
  } | undefined
}

/** What to change of how the handover is verified at the dropoff. */
export interface DropoffVerificationUpdate {
  /** A photo of the handover. Some installations prohibit photography. */
  photo?: {
    /** How it is wanted: not at all, if possible, or without exception. */
    level?: 'none' | 'preferred' | 'required' | null | undefined
    /** What to do instead where photography is prohibited. */
    substituteWhenProhibited?: 'photo' | 'signature' | 'identity' | 'pinCode' | 'barcode' | null | undefined
  } | null | undefined
  /** A signature of the recipient. */
  signature?: {
    /** How it is wanted: not at all, if possible, or without exception. */
    level?: 'none' | 'preferred' | 'required' | null | undefined
    /** Whether to ask for the name of the person who signs. */
    collectSignerName?: boolean | null | undefined
  } | null | undefined
  /** Whether the recipient has to show an identity document. */
  identity?: {
    /** How it is wanted: not at all, if possible, or without exception. */
    level?: 'none' | 'preferred' | 'required' | null | undefined
    /** The age in years that the recipient has to prove, 0 to 150. */
    minimumAge?: number | null | undefined
  } | null | undefined
  /** A code that the recipient tells the driver. */
  pinCode?: {
    /** How it is wanted: not at all, if possible, or without exception. */
    level?: 'none' | 'preferred' | 'required' | null | undefined
    /** Where the code comes from. */
    source?: string | null | undefined
  } | null | undefined
  /** Barcodes that the driver scans. */
  barcode?: {
    /** How it is wanted: not at all, if possible, or without exception. */
    level?: 'none' | 'preferred' | 'required' | null | undefined
    /** The barcodes to be scanned, at most 1,000. */
    values?: string[] | null | undefined
  } | null | undefined
}

/** What the service says of an error. */
export interface ErrorBody {
  /** The error. */
  error: {
    /** What is wrong: branch on it. New codes can appear without notice. */
    code: ErrorCode
    /** What is wrong, in words. Wording can change: branch on `code`. */
    message: string
    /** The id of the request, for support. Null if it has none. */
    requestId?: string | null | undefined
    /** More about the error; its shape depends on the code. Null or absent if there is nothing. */
    details?: {
      /** The fields that are invalid. */
      fieldErrors?: FieldError[] | undefined
    } | null | undefined
  }
}

/** A page of events, oldest first. */
export interface EventPage {
  /** The events of this page. */
  events: EventRecord[]
  /** The `cursor` of the next page. Null on the last one. */
  nextCursor?: string | null | undefined
}

/** A past event, with the state of its webhook. */
export interface EventRecord {
  /** The id of the event, equal to the header `webhook-id`. Handle each id only once. */
  eventId: string
  /** What happened, such as `delivery.delivered`. New types can appear without notice. */
  eventType: EventType
  /** When it happened, RFC 3339 in UTC. */
  occurredAt: string
  /** `false` for everything of a sandbox. Null if not known. */
  livemode?: boolean | null | undefined
  /** The id of the delivery that it is about. Null for other events. */
  deliveryId?: string | null | undefined
  /** How often its webhook was sent so far. Null if that is not known. */
  deliveryAttempts?: number | null | undefined
  /** How sending its webhook went: `pending` is still retried, `failed` was given up. Null if that is not known. */
  lastDeliveryStatus?: 'pending' | 'failed' | 'no_endpoint_configured' | 'delivered' | (string & {}) | null | undefined
  /** When its webhook was last sent, RFC 3339 in UTC. Null before the first attempt. */
  lastAttemptAt?: string | null | undefined
  /** The body of the webhook, as it was sent. */
  data: unknown
}

/** A field that is invalid. */
export interface FieldError {
  /** Where it is, such as `dropoff.contactPhone`. */
  field: string
  /** What is wrong with it, such as `REQUIRED`. */
  code: string
  /** What is wrong with it, in words. */
  message?: string | undefined
}

/** A gate of an installation. */
export interface Gate {
  /** The name of the gate. */
  name: string
  /** Whether delivery vehicles may enter by it. Null if that is not known. */
  commercialVehiclesPermitted?: boolean | null | undefined
  /** The opening hours as text, such as `Mon-Fri 05:00-20:00`. Null if they are not known. */
  hours?: string | null | undefined
  /** The time zone of the opening hours, such as `America/New_York`. Null if it is not known. */
  timezone?: string | null | undefined
}

/** How an order is handed over, and what to do if nobody takes it. */
export interface HandlingInput {
  /** Who takes it, such as `hand_to_recipient` or `cq_desk`. */
  handoff?: string | undefined
  /** What to do if it cannot be delivered. */
  undeliverableAction?: 'return_to_pickup' | 'fallback_handoff' | undefined
  /** Who takes it instead, with `fallback_handoff`. */
  fallbackHandoff?: string | undefined
}

/** What to change of how an order is handed over. */
export interface HandlingUpdate {
  /** Who takes it, such as `hand_to_recipient` or `cq_desk`. */
  handoff?: string | null | undefined
  /** What to do if it cannot be delivered. */
  undeliverableAction?: 'return_to_pickup' | 'fallback_handoff' | null | undefined
  /** Who takes it instead, with `fallback_handoff`. */
  fallbackHandoff?: string | null | undefined
}

/** The health of the service. */
export interface Health {
  /** Whether it works as usual. */
  status: 'healthy' | 'degraded' | (string & {})
  /** When that was checked, RFC 3339 in UTC. Null if not known. */
  checkedAt?: string | null | undefined
}

/** A military installation with its access policy. Do not cache it: the policy can change at any time. */
export interface Installation {
  /** The code, such as `FTBRAGG`. */
  code: string
  /** The name. Null if it is not known. */
  name?: string | null | undefined
  /** The service branch that runs it. Null if that is not known. */
  branch?: 'army' | 'navy' | 'air_force' | 'marine_corps' | 'space_force' | 'coast_guard' | 'joint' | 'dla' | (string & {}) | null | undefined
  /** The US state or territory, two letters. Null if it is not known. */
  state?: string | null | undefined
  /** Whether it takes commercial deliveries now. Null if that is not known. */
  acceptingDeliveries?: boolean | null | undefined
  /** What a driver needs to get in. Null if that is not known. */
  accessLevel?: 'id_required' | 'escort_required' | 'restricted' | (string & {}) | null | undefined
  /** Whether a driver may take photos there. Null if that is not known. */
  photographyPermitted?: boolean | null | undefined
  /** Where on the installation deliveries are handed over. Null if that is not known. */
  supportedDeliveryPoints?: Array<'cq_desk' | 'mailroom' | 'gate_handoff' | 'visitor_center' | (string & {})> | null | undefined
  /** The force protection condition: the higher, the stricter the gates. Null if that is not known. */
  fpconLevel?: 'normal' | 'alpha' | 'bravo' | 'charlie' | 'delta' | (string & {}) | null | undefined
  /** What is prohibited besides photography. Null if there is nothing. */
  imagingRestrictions?: 'no_recording_devices' | (string & {}) | null | undefined
  /** How a handover can be proved there. Null if that is not known. */
  permittedProofTypes?: Array<'photo' | 'signature' | 'pin_code' | 'barcode' | (string & {})> | null | undefined
  /** What packages there must not contain, by the words of `package.contains`. Null if that is not known. */
  prohibitedCargo?: string[] | null | undefined
  /** Its gates. Null if they are not known. */
  gates?: Gate[] | null | undefined
  /** When the access policy last changed, RFC 3339 in UTC. Null if that is not known. */
  policyUpdatedAt?: string | null | undefined
}

/** The access policy of an installation changed that the account delivers to. */
export interface InstallationEvent {
  /** The id of the event, equal to the header `webhook-id`. Handle each id only once. */
  eventId: string
  /** `installation.access_policy_changed`. */
  eventType: InstallationEventType
  /** When it happened, RFC 3339 in UTC. */
  occurredAt: string
  /** `false` for everything of a sandbox. Null if not known. */
  livemode?: boolean | null | undefined
  /** The names of the fields that changed, such as `fpconLevel`. */
  changed: string[]
  /** How many of your active deliveries go there. */
  affectedDeliveryCount: number
  /** The installation with its new policy. */
  installation: Installation
}

/** An installation in a list; `getInstallation` has its access policy. */
export interface InstallationListItem {
  /** The code, such as `FTBRAGG`. */
  code: string
  /** The name. Null if it is not known. */
  name?: string | null | undefined
  /** The service branch that runs it. Null if that is not known. */
  branch?: 'army' | 'navy' | 'air_force' | 'marine_corps' | 'space_force' | 'coast_guard' | 'joint' | 'dla' | (string & {}) | null | undefined
  /** The US state or territory, two letters. Null if it is not known. */
  state?: string | null | undefined
  /** Whether it takes commercial deliveries now. Null if that is not known. */
  acceptingDeliveries?: boolean | null | undefined
  /** What a driver needs to get in. Null if that is not known. */
  accessLevel?: 'id_required' | 'escort_required' | 'restricted' | (string & {}) | null | undefined
  /** Whether a driver may take photos there. Null if that is not known. */
  photographyPermitted?: boolean | null | undefined
  /** Where on the installation deliveries are handed over. Null if that is not known. */
  supportedDeliveryPoints?: Array<'cq_desk' | 'mailroom' | 'gate_handoff' | 'visitor_center' | (string & {})> | null | undefined
}

/** A page of installations. */
export interface InstallationPage {
  /** The installations of this page. */
  installations: InstallationListItem[]
  /** The `cursor` of the next page. Null on the last one. */
  nextCursor?: string | null | undefined
}

/** The military installation that an address is on. */
export interface InstallationStop {
  /** The code of the installation, such as `FTBRAGG`. */
  code?: string | undefined
  /** The gate to enter by. Absent leaves the choice to the service. */
  gate?: string | undefined
}

/** What to change of the military installation that the address is on. */
export interface InstallationStopUpdate {
  /** The code of the installation, such as `FTBRAGG`. */
  code?: string | null | undefined
  /** The gate to enter by. Absent leaves the choice to the service. */
  gate?: string | null | undefined
}

/** A status of a delivery that this version knows. */
export type KnownDeliveryStatus = 'scheduled' | 'accepted' | 'dispatch_failed' | 'reassigning' | 'driver_assigned' | 'driver_enroute_to_pickup' | 'driver_at_pickup' | 'pickup_complete' | 'driver_enroute_to_dropoff' | 'driver_at_dropoff' | 'delivered' | 'failed' | 'return_in_progress' | 'returned' | 'cancelled' | 'expired'

/** A reason for a status that this version knows. */
export type KnownStatusReasonCode = 'recipient_unavailable' | 'recipient_refused' | 'recipient_not_at_cq' | 'address_not_found' | 'address_inaccessible' | 'unsupported_destination_type' | 'denied_at_gate' | 'credential_expired' | 'credential_not_valid_for_installation' | 'gate_closed' | 'fpcon_elevated' | 'escort_unavailable' | 'verification_failed' | 'age_verification_failed' | 'photography_prohibited_no_substitute' | 'package_damaged' | 'package_not_ready' | 'no_carrier_available' | 'outside_service_area' | 'quote_expired' | 'cancelled_by_merchant' | 'cancelled_by_recipient' | 'cancelled_by_carrier' | 'cancelled_by_service' | 'weather_or_road_closure'

/** What is delivered. */
export interface PackageInput {
  /** What is in it, in words. */
  description?: string | undefined
  /** How many items it has. */
  itemsCount?: number | undefined
  /** What it is worth, in cents. */
  valueCents?: number | undefined
  /** Its weight in grams. */
  weightGrams?: number | undefined
  /**
   * What the package has that rules apply to, such as `alcohol`; at most 100 words. Some installations prohibit some
   * of them.
   */
  contains?: string[] | undefined
  /** Its items, at most 1,000. Needs the capability `itemLevelPackage`. */
  items?: Array<Record<string, unknown>> | undefined
}

/** What to change of what is delivered. */
export interface PackageUpdate {
  /** What is in it, in words. */
  description?: string | null | undefined
  /** How many items it has. */
  itemsCount?: number | null | undefined
  /** What it is worth, in cents. */
  valueCents?: number | null | undefined
  /** Its weight in grams. */
  weightGrams?: number | null | undefined
  /**
   * What the package has that rules apply to, such as `alcohol`; at most 100 words. Some installations prohibit some
   * of them.
   */
  contains?: string[] | null | undefined
  /** Its items, at most 1,000. Needs the capability `itemLevelPackage`. */
  items?: Array<Record<string, unknown>> | null | undefined
}

/** The store that a delivery is picked up at. */
export interface Pickup {
  /** Your reference of the store. Null if it is not told. */
  storeReference?: string | null | undefined
  /** The name of the store. Null if it is not known. */
  businessName?: string | null | undefined
}

/** The store that an order is picked up at. */
export interface PickupInput {
  /** Your reference of the store that it is picked up at. */
  storeReference: string
}

/** What to change of the store that an order is picked up at. */
export interface PickupUpdate {
  /** Your reference of the store that it is picked up at. */
  storeReference?: string | null | undefined
}

/** What a delivery costs. All amounts are integer cents. */
export interface Pricing {
  /** The currency of the amounts, such as `USD`. Null if not known. */
  currency?: string | null | undefined
  /** The fee of the delivery itself, in cents. Null if not known. */
  deliveryFeeCents?: number | null | undefined
  /** The tip for the driver, in cents. Null if there is none. */
  tipAmountCents?: number | null | undefined
  /** The fee of a cancellation, in cents. Null or absent if none is due or the account has no fees. */
  cancellationFeeCents?: number | null | undefined
  /** The whole price with tip and fees, in cents. Null if not known. */
  totalPriceCents?: number | null | undefined
}

/** What was captured at a handover. */
export interface ProofOfDelivery {
  /** What it is. */
  type: 'photo' | 'signature' | 'barcode' | 'pincode' | (string & {})
  /** Where it was captured. Null if not known. */
  stage?: 'dropoff' | (string & {}) | null | undefined
  /** Where the image is. Null if there is none, such as for a PIN code. */
  url?: string | null | undefined
  /** When it was captured, RFC 3339 in UTC. Null if that is not known. */
  capturedAt?: string | null | undefined
}

/** An offered price. */
export interface Quote {
  /** The id of the quote: give it to `createDelivery` before `expiresAt`. */
  quoteId: string
  /** The id of the carrier. Null if it is not told. */
  carrierId?: string | null | undefined
  /** The name of the carrier. Null if it is not told. */
  carrierName?: string | null | undefined
  /** The currency of the price, such as `USD`. Null if it is not told. */
  currency?: string | null | undefined
  /** The whole price, in cents. */
  totalPriceCents: number
  /** When it would be picked up, RFC 3339 in UTC. Null if that is not known. */
  pickupEta?: string | null | undefined
  /** When it would arrive, RFC 3339 in UTC. Null if that is not known. */
  dropoffEta?: string | null | undefined
}

/** What a price is asked for: an order of which only the store and the address are required. */
export interface QuoteCreate {
  /** Your own reference of the order, 1 to 128 characters. */
  clientOrderReference?: string | undefined
  /** Where the delivery starts. */
  pickup: PickupInput
  /** Where the delivery goes, and to whom. */
  dropoff: QuoteDropoffInput
  /** When to pick up and to deliver. Absent means as soon as possible. */
  timeWindows?: TimeWindows | undefined
  /** What is delivered. */
  package?: PackageInput | undefined
  /** How the handover is verified. */
  verification?: VerificationInput | undefined
}

/** Where a delivery would go; of the contact nothing is required. */
export interface QuoteDropoffInput {
  /** Where to deliver: one line, or its parts. */
  address: string | StructuredAddress
  /** The person who receives the delivery. */
  contactName?: string | undefined
  /** The phone number of the recipient in E.164, such as `+19105550142`. */
  contactPhone?: string | undefined
  /** What the driver should know, at most 280 characters. */
  instructions?: string | undefined
  /** The military installation that the address is on. Absent elsewhere. */
  installation?: InstallationStop | undefined
  /** Where on the installation the recipient is. Absent elsewhere. */
  unit?: UnitStop | undefined
}

/** The quotes for a request. Having none is not an error. */
export interface QuoteResponse {
  /** Your own reference of the order. Null if none was given. */
  clientOrderReference?: string | null | undefined
  /** What carriers offer; empty if nobody can serve the request. */
  quotes: Quote[]
  /** Until when the quotes hold, RFC 3339 in UTC. Null if there are none. */
  expiresAt?: string | null | undefined
  /** Why there are no quotes. Null or absent if there are. */
  noQuoteReason?: 'OUTSIDE_COVERAGE' | 'NO_CAPACITY' | 'OUTSIDE_HOURS' | 'REQUIREMENT_UNSUPPORTED' | (string & {}) | null | undefined
}

/** How a handover is verified in fact, after the rules of cargo and destination. */
export interface ResolvedVerification {
  /** What is enforced at the dropoff. Null if not known. */
  dropoff?: Record<string, unknown> | null | undefined
  /** What was added to the request by a rule. Null if not known. */
  derived?: Array<{
    /** What was added. Null if not known. */
    mechanism?: 'photo' | 'signature' | 'identity' | 'pinCode' | 'barcode' | (string & {}) | null | undefined
    /** How it is wanted, such as `required`. Null if not known. */
    level?: string | null | undefined
    /** The age in years that the recipient has to prove. Null if not known. */
    minimumAge?: number | null | undefined
    /** The rule that added it. Null if not known. */
    source?: string | null | undefined
  } | string> | null | undefined
  /** What was taken out of the request by a rule. Null if not known. */
  suppressed?: Array<{
    /** What was taken out. Null if not known. */
    mechanism?: 'photo' | 'signature' | 'identity' | 'pinCode' | 'barcode' | (string & {}) | null | undefined
    /** Why it was taken out. Null if not known. */
    reason?: string | null | undefined
    /** What takes its place. Null if nothing does. */
    substitutedBy?: string | null | undefined
  } | string> | null | undefined
}

/** Whether a stop can be served at this moment. Do not cache it across a scheduled window. */
export interface Serviceability {
  /** Whether it can be served. `false` is a result, not an error. */
  serviceable: boolean
  /** Why it cannot be served, such as `gate_closed`. Null or absent if it can. */
  reasonCode?: string | null | undefined
  /** Why it cannot be served, in words. Null or absent if it can. */
  reason?: string | null | undefined
  /** The military installation that the address is on. Null or absent elsewhere. */
  installation?: {
    /** The code of the installation, such as `FTBRAGG`. */
    code: string
    /** The name. Null if it is not known. */
    name?: string | null | undefined
    /** What a driver needs to get in. Null if that is not known. */
    accessLevel?: 'id_required' | 'escort_required' | 'restricted' | (string & {}) | null | undefined
    /** The force protection condition: the higher, the stricter the gates. Null if that is not known. */
    fpconLevel?: 'normal' | 'alpha' | 'bravo' | 'charlie' | 'delta' | (string & {}) | null | undefined
  } | null | undefined
  /** The gate to enter by. Null if none is recommended. */
  recommendedGate?: string | null | undefined
  /** Whether a driver with a credential for the installation is available. Null if that does not matter. */
  credentialedDriversAvailable?: boolean | null | undefined
  /** How a handover can be proved there. Null if nothing limits it. */
  permittedProofTypes?: string[] | null | undefined
  /** How a handover cannot be proved there. Null if nothing limits it. */
  suppressedProofTypes?: string[] | null | undefined
  /** Where on the installation deliveries are handed over. Null if that is not known. */
  supportedDeliveryPoints?: string[] | null | undefined
  /** When to check again, RFC 3339 in UTC. Null or absent unless the obstacle is temporary. */
  retryAfter?: string | null | undefined
  /** When this was evaluated, RFC 3339 in UTC. Null if that is not known. */
  evaluatedAt?: string | null | undefined
}

/** The stop to check. */
export interface ServiceabilityRequest {
  /** Where the delivery would go: an address, an installation, or both. */
  dropoff: {
    /** Where to deliver: one line, or its parts. */
    address?: string | StructuredAddress | undefined
    /** The military installation to deliver to. */
    installation?: InstallationStop | undefined
    /** Where on the installation the recipient is. */
    unit?: UnitStop | undefined
  }
  /** What would be delivered. */
  package?: {
    /**
     * What the package has that rules apply to, such as `alcohol`; at most 100 words. Some installations prohibit some
     * of them.
     */
    contains?: string[] | undefined
  } | undefined
  /** When it would be delivered, RFC 3339 with `Z` or an offset. Default now. */
  deliverAt?: Time | undefined
}

/** What a delivery of the sandbox should become. */
export interface SimulateRequest {
  /** The status to move to; every status on the way is passed. */
  advanceTo: KnownDeliveryStatus
  /** Why, for a status that needs a reason. */
  statusReasonCode?: KnownStatusReasonCode | undefined
  /** `false` emits only the event of the last status. Default `true`. */
  emitIntermediateEvents?: boolean | undefined
}

/** What a simulation did. */
export interface SimulateResponse {
  /** The id of the delivery, such as `del_01J…`. */
  deliveryId: string
  /** `false` for everything of a sandbox. Null if not known. */
  livemode?: boolean | null | undefined
  /** The status that the delivery has now. */
  status: DeliveryStatus
  /**
   * The types of the events of the transitions, in their order. Informational events that come with them, such as
   * `delivery.proof_of_delivery_added`, are not listed.
   */
  emittedEvents: EventType[]
}

/** A status that a delivery had. */
export interface StatusHistoryEntry {
  /** The status. Null if not known. */
  status?: DeliveryStatus | null | undefined
  /** When it began, RFC 3339 in UTC. Null if not known. */
  occurredAt?: string | null | undefined
  /** Why it has this status. Null or absent for statuses that need no reason. */
  statusReasonCode?: StatusReasonCode | null | undefined
  /**
   * Why it has this status, in words. Null if there is nothing to say. Wording can change: branch on
   * `statusReasonCode`.
   */
  statusReason?: string | null | undefined
}

/** A reason for a status: a known one, or one that a newer service has added. */
export type StatusReasonCode = 'recipient_unavailable' | 'recipient_refused' | 'recipient_not_at_cq' | 'address_not_found' | 'address_inaccessible' | 'unsupported_destination_type' | 'denied_at_gate' | 'credential_expired' | 'credential_not_valid_for_installation' | 'gate_closed' | 'fpcon_elevated' | 'escort_unavailable' | 'verification_failed' | 'age_verification_failed' | 'photography_prohibited_no_substitute' | 'package_damaged' | 'package_not_ready' | 'no_carrier_available' | 'outside_service_area' | 'quote_expired' | 'cancelled_by_merchant' | 'cancelled_by_recipient' | 'cancelled_by_carrier' | 'cancelled_by_service' | 'weather_or_road_closure' | (string & {})

/** A US address by its parts. */
export interface StructuredAddress {
  /** Street and number. */
  line1: string
  /** The city. */
  city: string
  /** The US state or territory, two letters. */
  state: string
  /** The US postal code, 5 or 9 digits. */
  postalCode: string
}

/** What to change of a US address. */
export interface StructuredAddressUpdate {
  /** Street and number. */
  line1?: string | null | undefined
  /** The city. */
  city?: string | null | undefined
  /** The US state or territory, two letters. */
  state?: string | null | undefined
  /** The US postal code, 5 or 9 digits. */
  postalCode?: string | null | undefined
}

/** A dispatch team of an owned fleet. */
export interface Team {
  /** The id of the team. */
  id: string
  /** The name. Null if it is not known. */
  name?: string | null | undefined
  /** How many drivers it has. Null if that is not known. */
  workerCount?: number | null | undefined
  /** The id of the place that the team starts from. Null if it has none. */
  hubDestinationId?: string | null | undefined
}

/** A span of time. An end that is absent is open. */
export interface TimeWindow {
  /** The earliest time, RFC 3339 with `Z` or an offset. */
  start?: Time | undefined
  /** The latest time, RFC 3339 with `Z` or an offset. */
  end?: Time | undefined
}

/** What to change of a span of time. */
export interface TimeWindowUpdate {
  /** The earliest time, RFC 3339 with `Z` or an offset. */
  start?: Time | null | undefined
  /** The latest time, RFC 3339 with `Z` or an offset. */
  end?: Time | null | undefined
}

/** When to pick up and to deliver. */
export interface TimeWindows {
  /** Whether to deliver as soon as possible or in the windows. */
  deliveryMode?: 'asap' | 'scheduled' | undefined
  /** When to pick up. */
  pickup?: TimeWindow | undefined
  /** When to deliver. */
  dropoff?: TimeWindow | undefined
}

/** What to change of when to pick up and to deliver. */
export interface TimeWindowsUpdate {
  /** Whether to deliver as soon as possible or in the windows. */
  deliveryMode?: 'asap' | 'scheduled' | null | undefined
  /** When to pick up. */
  pickup?: TimeWindowUpdate | null | undefined
  /** When to deliver. */
  dropoff?: TimeWindowUpdate | null | undefined
}

/** Where on an installation the recipient is. */
export interface UnitStop {
  /** The number of the building, such as `4-1421`. */
  buildingNumber?: string | undefined
  /** The room or suite. */
  room?: string | undefined
  /** The military unit, such as `A Co, 2-505 PIR`. */
  unitDesignation?: string | undefined
  /** Where it is handed over, such as `cq_desk`. */
  deliveryPoint?: 'cq_desk' | 'mailroom' | 'gate_handoff' | 'visitor_center' | undefined
}

/** What to change of where on an installation the recipient is. */
export interface UnitStopUpdate {
  /** The number of the building, such as `4-1421`. */
  buildingNumber?: string | null | undefined
  /** The room or suite. */
  room?: string | null | undefined
  /** The military unit, such as `A Co, 2-505 PIR`. */
  unitDesignation?: string | null | undefined
  /** Where it is handed over, such as `cq_desk`. */
  deliveryPoint?: 'cq_desk' | 'mailroom' | 'gate_handoff' | 'visitor_center' | null | undefined
}

/** How the handover is verified. */
export interface VerificationInput {
  /** How the handover is verified at the dropoff. */
  dropoff?: DropoffVerification | undefined
}

/** What to change of how the handover is verified. */
export interface VerificationUpdate {
  /** How the handover is verified at the dropoff. */
  dropoff?: DropoffVerificationUpdate | null | undefined
}

/** An event of a type that this version does not know: log it and answer 2xx. */
export interface UnknownEvent {
  /** The id of the event, equal to the header `webhook-id`. Handle each id only once. */
  eventId: string
  /** What happened: a type that this version does not know. */
  eventType: UnknownEventType
  /** When it happened, RFC 3339 in UTC. */
  occurredAt: string
  /** `false` for everything of a sandbox. */
  livemode?: boolean | undefined
}

/** An event as a receiver gets it: `switch (event.eventType)` tells what it holds. */
export type WebhookEvent = DeliveryEvent | DriverEvent | InstallationEvent | UnknownEvent
