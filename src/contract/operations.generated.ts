// Written by `npm run contract-types` from the contract's schemas; a test checks that it is current.
import type { OperationDescriptor } from './operation.js'
import type { Shape } from './shape.js'
import type {
  CancelRequest,
  Capabilities,
  Delivery,
  DeliveryCreate,
  DeliveryListItem,
  DeliveryPage,
  DeliveryUpdate,
  DriverProfile,
  EventPage,
  EventRecord,
  Health,
  Installation,
  InstallationListItem,
  InstallationPage,
  KnownDeliveryStatus,
  QuoteCreate,
  QuoteResponse,
  Serviceability,
  ServiceabilityRequest,
  SimulateRequest,
  SimulateResponse,
  Team,
  Time,
} from './types.generated.js'

/** The input of `getCapabilities`. */
export interface GetCapabilitiesInput {
}

/** The input of `getHealth`. */
export interface GetHealthInput {
}

/** The input of `createQuote`. */
export interface CreateQuoteInput {
  /** The body of the request. */
  body: QuoteCreate
}

/** The input of `createDelivery`. */
export interface CreateDeliveryInput {
  /** The body of the request. */
  body: DeliveryCreate
  /**
   * The same key and body within 24 hours get the first response again, and nothing is dispatched twice: 1 to 128
   * printable ASCII characters. The client derives it from the order if it is absent.
   */
  idempotencyKey?: string | undefined
}

/** The input of `getDelivery`. */
export interface GetDeliveryInput {
  /** The id of the delivery, such as `del_01J…`. */
  deliveryId: string
}

/** The query of `listDeliveries`. */
export type ListDeliveriesQuery = ListDeliveriesQueryByFrom | ListDeliveriesQueryByClientOrderReference

/** The query of `listDeliveries`. */
export interface ListDeliveriesQueryFilters {
  /** The reference of one order: gives one delivery or none, and ignores the times. */
  clientOrderReference?: string | undefined
  /** Created at this time or later. */
  from?: Time | undefined
  /** Created before this time. Default now. */
  to?: Time | undefined
  /** Only deliveries with this status. */
  status?: KnownDeliveryStatus | undefined
  /** Where the page starts: the `nextCursor` of the page before. Keep all filters the same. */
  cursor?: string | undefined
  /** How many items a page has at most: 1 to 100. Default 50. */
  limit?: number | undefined
}

/** The query of `listDeliveries` with `from`. */
export interface ListDeliveriesQueryByFrom extends ListDeliveriesQueryFilters {
  /** Created at this time or later. */
  from: Time
}

/** The query of `listDeliveries` with `clientOrderReference`. */
export interface ListDeliveriesQueryByClientOrderReference extends ListDeliveriesQueryFilters {
  /** The reference of one order: gives one delivery or none, and ignores the times. */
  clientOrderReference: string
}

/** The input of `listDeliveries`. */
export interface ListDeliveriesInput {
  /** The filters, and the number of results in a page. */
  query: ListDeliveriesQuery
}

/** The input of `listDeliveries` with one of its queries. */
export interface ListDeliveriesInputByFrom {
  /** The filters, and the number of results in a page. */
  query: ListDeliveriesQueryByFrom
}

/** The input of `listDeliveries` with one of its queries. */
export interface ListDeliveriesInputByClientOrderReference {
  /** The filters, and the number of results in a page. */
  query: ListDeliveriesQueryByClientOrderReference
}

/** The input of `updateDelivery`. */
export interface UpdateDeliveryInput {
  /** The id of the delivery, such as `del_01J…`. */
  deliveryId: string
  /** The body of the request. */
  body: DeliveryUpdate
}

/** The input of `cancelDelivery`. */
export interface CancelDeliveryInput {
  /** The id of the delivery, such as `del_01J…`. */
  deliveryId: string
  /** The body of the request. */
  body?: CancelRequest | undefined
  /**
   * The same key and body within 24 hours get the first response again: 1 to 128 printable ASCII characters. The
   * client derives it from the delivery and the body if it is absent.
   */
  idempotencyKey?: string | undefined
}

/** The input of `simulateDelivery`. */
export interface SimulateDeliveryInput {
  /** The id of the delivery, such as `del_01J…`. */
  deliveryId: string
  /** The body of the request. */
  body: SimulateRequest
}

/** The query of `listDrivers`. */
export interface ListDriversQuery {
  /** Only drivers of this team. */
  teamId?: string | undefined
  /** Only drivers who are at work, or only others. */
  onDuty?: boolean | undefined
}

/** The input of `listDrivers`. */
export interface ListDriversInput {
  /** The filters, and the number of results in a page. */
  query?: ListDriversQuery | undefined
}

/** The input of `getDriver`. */
export interface GetDriverInput {
  /** The id of the driver, as `listDrivers` returns it. */
  driverId: string
}

/** The input of `listTeams`. */
export interface ListTeamsInput {
}

/** The query of `listInstallations`. */
export interface ListInstallationsQuery {
  /** Only installations in this US state or territory, two upper-case letters. */
  state?: string | undefined
  /** Only installations of this service branch. */
  branch?: 'army' | 'navy' | 'air_force' | 'marine_corps' | 'space_force' | 'coast_guard' | 'joint' | 'dla' | undefined
  /** Only installations that take deliveries now, or only others. */
  acceptingDeliveries?: boolean | undefined
  /** Where the page starts: the `nextCursor` of the page before. Keep all filters the same. */
  cursor?: string | undefined
  /** How many items a page has at most: 1 to 100. Default 50. */
  limit?: number | undefined
}

/** The input of `listInstallations`. */
export interface ListInstallationsInput {
  /** The filters, and the number of results in a page. */
  query?: ListInstallationsQuery | undefined
}

/** The input of `getInstallation`. */
export interface GetInstallationInput {
  /** The code of the installation, such as `FTBRAGG`. */
  installationCode: string
}

/** The input of `checkServiceability`. */
export interface CheckServiceabilityInput {
  /** The body of the request. */
  body: ServiceabilityRequest
}

/** The query of `listEvents`. */
export interface ListEventsQuery {
  /** Happened at this time or later. Default 24 hours ago, at most 30 days ago. */
  since?: Time | undefined
  /** Happened before this time. Default now. */
  until?: Time | undefined
  /** `false` lists only events whose webhook was not delivered. */
  delivered?: boolean | undefined
  /** Only events of this delivery. */
  deliveryId?: string | undefined
  /** Only events of these types. */
  eventType?: string[] | undefined
  /** Where the page starts: the `nextCursor` of the page before. Keep all filters the same. */
  cursor?: string | undefined
  /** How many items a page has at most: 1 to 100. Default 50. */
  limit?: number | undefined
}

/** The input of `listEvents`. */
export interface ListEventsInput {
  /** The filters, and the number of results in a page. */
  query?: ListEventsQuery | undefined
}

/** What each operation takes and gives. */
export interface OperationTypes {
  /** Get the capabilities of the account. */
  getCapabilities: {
    /** The input. */
    input: GetCapabilitiesInput
    /** The result. */
    output: Capabilities
  }
  /** Get the health of the service. */
  getHealth: {
    /** The input. */
    input: GetHealthInput
    /** The result. */
    output: Health
  }
  /** Get delivery quotes. */
  createQuote: {
    /** The input. */
    input: CreateQuoteInput
    /** The result. */
    output: QuoteResponse
  }
  /** Create and dispatch a delivery. */
  createDelivery: {
    /** The input. */
    input: CreateDeliveryInput
    /** The result. */
    output: Delivery
  }
  /** Get a delivery. */
  getDelivery: {
    /** The input. */
    input: GetDeliveryInput
    /** The result. */
    output: Delivery
  }
  /** List deliveries, or find one by its reference. */
  listDeliveries: {
    /** The input. */
    input: ListDeliveriesInput
    /** The result. */
    output: DeliveryPage
    /** The filters. */
    query: ListDeliveriesQuery
    /** One of what is listed. */
    item: DeliveryListItem
  }
  /** Update a delivery. */
  updateDelivery: {
    /** The input. */
    input: UpdateDeliveryInput
    /** The result. */
    output: Delivery
  }
  /** Cancel a delivery. */
  cancelDelivery: {
    /** The input. */
    input: CancelDeliveryInput
    /** The result. */
    output: Delivery
  }
  /** Advance a sandbox delivery. */
  simulateDelivery: {
    /** The input. */
    input: SimulateDeliveryInput
    /** The result. */
    output: SimulateResponse
  }
  /** List drivers. */
  listDrivers: {
    /** The input. */
    input: ListDriversInput
    /** The result. */
    output: DriverProfile[]
  }
  /** Get a driver. */
  getDriver: {
    /** The input. */
    input: GetDriverInput
    /** The result. */
    output: DriverProfile
  }
  /** List dispatch teams. */
  listTeams: {
    /** The input. */
    input: ListTeamsInput
    /** The result. */
    output: Team[]
  }
  /** List military installations. */
  listInstallations: {
    /** The input. */
    input: ListInstallationsInput
    /** The result. */
    output: InstallationPage
    /** The filters. */
    query: ListInstallationsQuery
    /** One of what is listed. */
    item: InstallationListItem
  }
  /** Get an installation and its access policy. */
  getInstallation: {
    /** The input. */
    input: GetInstallationInput
    /** The result. */
    output: Installation
  }
  /** Check whether a stop can be served. */
  checkServiceability: {
    /** The input. */
    input: CheckServiceabilityInput
    /** The result. */
    output: Serviceability
  }
  /** List past events. */
  listEvents: {
    /** The input. */
    input: ListEventsInput
    /** The result. */
    output: EventPage
    /** The filters. */
    query: ListEventsQuery
    /** One of what is listed. */
    item: EventRecord
  }
}

/** One method an operation. */
export interface OperationMethods<Options> {
  /**
   * Get the capabilities of the account. Returns the type of the account, its feature flags and its allowed requests
   * per second.
   *
   * @param input nothing
   * @param options limits, retries and a signal for this call
   * @throws ApiError `UNAUTHORIZED`, `RATE_LIMIT_EXCEEDED`, `SERVICE_UNAVAILABLE`, `INTERNAL_ERROR`
   */
  getCapabilities(input?: GetCapabilitiesInput, options?: Options): Promise<Capabilities>
  /**
   * Get the health of the service. Needs no API key and has a stricter rate limit. A degraded service returns 503 with
   * the same body.
   *
   * @param input nothing
   * @param options limits, retries and a signal for this call
   * @throws ApiError `RATE_LIMIT_EXCEEDED`, `INTERNAL_ERROR`
   */
  getHealth(input?: GetHealthInput, options?: Options): Promise<Health>
  /**
   * Get delivery quotes. Returns prices and estimated times without creating a delivery. If nobody can serve the
   * request, `quotes` is empty and `noQuoteReason` says why; that is not an error.
   *
   * @param input `body`
   * @param options limits, retries and a signal for this call
   * @throws ApiError `VALIDATION_ERROR`, `INVALID_PHONE_NUMBER`, `INVALID_ADDRESS`, `INVALID_TIME_CONSTRAINT`,
   * `INVALID_STORE_REFERENCE`, `UNSUPPORTED_REQUIREMENT`, `UNSUPPORTED_DESTINATION`, `INSTALLATION_NOT_SERVED`,
   * `INSTALLATION_NOT_ACCEPTING_DELIVERIES`, `PROHIBITED_CARGO_FOR_DESTINATION`, `QUOTES_NOT_SUPPORTED`,
   * `UNAUTHORIZED`, `RATE_LIMIT_EXCEEDED`, `SERVICE_UNAVAILABLE`, `INTERNAL_ERROR`
   */
  createQuote(input: CreateQuoteInput, options?: Options): Promise<QuoteResponse>
  /**
   * Create and dispatch a delivery. Creates a delivery and starts dispatch. Returns 201, or 200 with
   * `Idempotency-Replayed: true` if the same key and body were sent before. Returns `QUOTE_EXPIRED` after the quote’s
   * `expiresAt`, and `DUPLICATE_ORDER` if another delivery has the same `clientOrderReference`.
   *
   * Without `idempotencyKey` the key follows from the order: for 24 hours the same order sent again gets the first
   * response again, with the status that it had then, even if the delivery was cancelled since; `replayed` of `call`
   * tells. Lost responses are healed by sending the request again with the same key.
   *
   * @param input `body`, `idempotencyKey`
   * @param options limits, retries and a signal for this call
   * @throws ApiError `VALIDATION_ERROR`, `INVALID_PHONE_NUMBER`, `INVALID_ADDRESS`, `INVALID_TIME_CONSTRAINT`,
   * `INVALID_STORE_REFERENCE`, `INVALID_TEAM_REFERENCE`, `UNSUPPORTED_REQUIREMENT`, `UNSUPPORTED_DESTINATION`,
   * `INSTALLATION_NOT_SERVED`, `INSTALLATION_NOT_ACCEPTING_DELIVERIES`, `PROHIBITED_CARGO_FOR_DESTINATION`,
   * `NO_ELIGIBLE_PROVIDERS`, `NO_CREDENTIALED_DRIVER_AVAILABLE`, `QUOTE_EXPIRED`, `DUPLICATE_ORDER`,
   * `IDEMPOTENCY_KEY_REUSED`, `IDEMPOTENCY_CONFLICT`, `UNAUTHORIZED`, `RATE_LIMIT_EXCEEDED`, `SERVICE_UNAVAILABLE`,
   * `INTERNAL_ERROR`
   */
  createDelivery(input: CreateDeliveryInput, options?: Options): Promise<Delivery>
  /**
   * Get a delivery. Returns a delivery with its `statusHistory`. Use it to reconcile, not to poll for the status.
   *
   * @param input `deliveryId`
   * @param options limits, retries and a signal for this call
   * @throws ApiError `DELIVERY_NOT_FOUND`, `UNAUTHORIZED`, `RATE_LIMIT_EXCEEDED`, `SERVICE_UNAVAILABLE`,
   * `INTERNAL_ERROR`
   */
  getDelivery(input: GetDeliveryInput, options?: Options): Promise<Delivery>
  /**
   * List deliveries, or find one by its reference. Returns deliveries, newest first. `from` is required unless
   * `clientOrderReference` is given; a lookup by reference returns one delivery or none.
   *
   * @param input `query`
   * @param options limits, retries and a signal for this call
   * @throws ApiError `VALIDATION_ERROR`, `UNAUTHORIZED`, `RATE_LIMIT_EXCEEDED`, `SERVICE_UNAVAILABLE`,
   * `INTERNAL_ERROR`
   */
  listDeliveries(input: ListDeliveriesInputByFrom, options?: Options): Promise<DeliveryPage>
  /**
   * List deliveries, or find one by its reference. Returns deliveries, newest first. `from` is required unless
   * `clientOrderReference` is given; a lookup by reference returns one delivery or none.
   *
   * @param input `query`
   * @param options limits, retries and a signal for this call
   * @throws ApiError `VALIDATION_ERROR`, `UNAUTHORIZED`, `RATE_LIMIT_EXCEEDED`, `SERVICE_UNAVAILABLE`,
   * `INTERNAL_ERROR`
   */
  listDeliveries(input: ListDeliveriesInputByClientOrderReference, options?: Options): Promise<DeliveryPage>
  /**
   * List deliveries, or find one by its reference. Returns deliveries, newest first. `from` is required unless
   * `clientOrderReference` is given; a lookup by reference returns one delivery or none.
   *
   * @param input `query`
   * @param options limits, retries and a signal for this call
   * @throws ApiError `VALIDATION_ERROR`, `UNAUTHORIZED`, `RATE_LIMIT_EXCEEDED`, `SERVICE_UNAVAILABLE`,
   * `INTERNAL_ERROR`
   */
  listDeliveries(input: ListDeliveriesInput, options?: Options): Promise<DeliveryPage>
  /**
   * Update a delivery. Changes the fields that are sent: objects are shallow-merged, arrays are replaced, and `null`
   * clears an optional scalar. After `pickup_complete` only `dropoff.instructions`, `dropoff.contactPhone` and
   * `tipAmountCents` can change. A terminal delivery returns 409; a `dispatch_failed` one is dispatched again.
   *
   * If the response is lost, the delivery is read and compared before anything is sent again.
   *
   * @param input `deliveryId`, `body`
   * @param options limits, retries and a signal for this call
   * @throws ApiError `VALIDATION_ERROR`, `INVALID_PHONE_NUMBER`, `INVALID_ADDRESS`, `INVALID_TIME_CONSTRAINT`,
   * `INVALID_STORE_REFERENCE`, `INVALID_TEAM_REFERENCE`, `UNSUPPORTED_REQUIREMENT`, `UNSUPPORTED_DESTINATION`,
   * `INSTALLATION_NOT_SERVED`, `INSTALLATION_NOT_ACCEPTING_DELIVERIES`, `PROHIBITED_CARGO_FOR_DESTINATION`,
   * `NO_ELIGIBLE_PROVIDERS`, `NO_CREDENTIALED_DRIVER_AVAILABLE`, `DELIVERY_NOT_FOUND`, `INVALID_STATE_TRANSITION`,
   * `UNAUTHORIZED`, `RATE_LIMIT_EXCEEDED`, `SERVICE_UNAVAILABLE`, `INTERNAL_ERROR`
   */
  updateDelivery(input: UpdateDeliveryInput, options?: Options): Promise<Delivery>
  /**
   * Cancel a delivery. Cancels a delivery. A fee may apply, so an idempotency key is recommended. A terminal delivery
   * returns 409.
   *
   * @param input `deliveryId`, `body`, `idempotencyKey`
   * @param options limits, retries and a signal for this call
   * @throws ApiError `VALIDATION_ERROR`, `DELIVERY_NOT_FOUND`, `INVALID_STATE_TRANSITION`, `IDEMPOTENCY_KEY_REUSED`,
   * `IDEMPOTENCY_CONFLICT`, `UNAUTHORIZED`, `RATE_LIMIT_EXCEEDED`, `SERVICE_UNAVAILABLE`, `INTERNAL_ERROR`
   */
  cancelDelivery(input: CancelDeliveryInput, options?: Options): Promise<Delivery>
  /**
   * Advance a sandbox delivery. Moves a delivery to a status and emits the events on the way. Sandbox keys only.
   * Webhooks follow asynchronously. An illegal transition returns 422.
   *
   * If the response is lost, the delivery is read and compared before anything is sent again.
   *
   * @param input `deliveryId`, `body`
   * @param options limits, retries and a signal for this call
   * @throws ApiError `VALIDATION_ERROR`, `SANDBOX_ONLY`, `DELIVERY_NOT_FOUND`, `INVALID_STATE_TRANSITION`,
   * `UNAUTHORIZED`, `RATE_LIMIT_EXCEEDED`, `SERVICE_UNAVAILABLE`, `INTERNAL_ERROR`
   */
  simulateDelivery(input: SimulateDeliveryInput, options?: Options): Promise<SimulateResponse>
  /**
   * List drivers. Returns a plain array of drivers, not a page. Marketplace accounts may see only drivers on active
   * deliveries.
   *
   * @param input `query`
   * @param options limits, retries and a signal for this call
   * @throws ApiError `VALIDATION_ERROR`, `UNAUTHORIZED`, `RATE_LIMIT_EXCEEDED`, `SERVICE_UNAVAILABLE`,
   * `INTERNAL_ERROR`
   */
  listDrivers(input?: ListDriversInput, options?: Options): Promise<DriverProfile[]>
  /**
   * Get a driver. Returns a driver. Only for owned-fleet accounts; other accounts get `DRIVER_NOT_FOUND`.
   *
   * @param input `driverId`
   * @param options limits, retries and a signal for this call
   * @throws ApiError `DRIVER_NOT_FOUND`, `UNAUTHORIZED`, `RATE_LIMIT_EXCEEDED`, `SERVICE_UNAVAILABLE`,
   * `INTERNAL_ERROR`
   */
  getDriver(input: GetDriverInput, options?: Options): Promise<DriverProfile>
  /**
   * List dispatch teams. Returns a plain array of teams, empty for an account without `ownedFleetDispatch`.
   *
   * @param input nothing
   * @param options limits, retries and a signal for this call
   * @throws ApiError `UNAUTHORIZED`, `RATE_LIMIT_EXCEEDED`, `SERVICE_UNAVAILABLE`, `INTERNAL_ERROR`
   */
  listTeams(input?: ListTeamsInput, options?: Options): Promise<Team[]>
  /**
   * List military installations. Returns the installations that are served. The list can be cached for a day; an
   * access policy cannot.
   *
   * @param input `query`
   * @param options limits, retries and a signal for this call
   * @throws ApiError `VALIDATION_ERROR`, `UNAUTHORIZED`, `RATE_LIMIT_EXCEEDED`, `SERVICE_UNAVAILABLE`,
   * `INTERNAL_ERROR`
   */
  listInstallations(input?: ListInstallationsInput, options?: Options): Promise<InstallationPage>
  /**
   * Get an installation and its access policy. Returns an installation with its gates, access rules, permitted proof
   * types and prohibited cargo.
   *
   * @param input `installationCode`
   * @param options limits, retries and a signal for this call
   * @throws ApiError `INSTALLATION_NOT_FOUND`, `UNAUTHORIZED`, `RATE_LIMIT_EXCEEDED`, `SERVICE_UNAVAILABLE`,
   * `INTERNAL_ERROR`
   */
  getInstallation(input: GetInstallationInput, options?: Options): Promise<Installation>
  /**
   * Check whether a stop can be served. Evaluates a dropoff without creating anything, free of charge. `serviceable:
   * false` is a result, not an error. The result holds for this moment; do not cache it across a scheduled window.
   *
   * @param input `body`
   * @param options limits, retries and a signal for this call
   * @throws ApiError `VALIDATION_ERROR`, `UNAUTHORIZED`, `RATE_LIMIT_EXCEEDED`, `SERVICE_UNAVAILABLE`,
   * `INTERNAL_ERROR`
   */
  checkServiceability(input: CheckServiceabilityInput, options?: Options): Promise<Serviceability>
  /**
   * List past events. Returns events, oldest first. `since` defaults to 24 hours ago and can be at most 30 days ago.
   *
   * @param input `query`
   * @param options limits, retries and a signal for this call
   * @throws ApiError `VALIDATION_ERROR`, `UNAUTHORIZED`, `RATE_LIMIT_EXCEEDED`, `SERVICE_UNAVAILABLE`,
   * `INTERNAL_ERROR`
   */
  listEvents(input?: ListEventsInput, options?: Options): Promise<EventPage>
}

const shape1: Shape = { known: ["marketplace","owned_fleet"] }
const shape2: Shape = { anyOf: ["boolean", "null"] }
const shape3: Shape = { anyOf: ["integer", "null"] }
const shape4: Shape = { fields: { "quotes": shape2, "marketplaceDispatch": shape2, "ownedFleetDispatch": shape2, "returns": shape2, "requirementEnforcement": shape2, "driverLocationStreaming": shape2, "routeOptimization": shape2, "itemLevelPackage": shape2, "cancellationFees": shape2, "maxRequestsPerSecond": shape3 }, required: [] }
const shape5: Shape = { fields: { "accountType": shape1, "capabilities": shape4 }, required: ["accountType","capabilities"] }
const shape6: Shape = { known: ["healthy","degraded"] }
const shape7: Shape = { anyOf: ["string", "null"] }
const shape8: Shape = { fields: { "status": shape6, "checkedAt": shape7 }, required: ["status"] }
const shape9: Shape = { fields: { "quoteId": "string", "carrierId": shape7, "carrierName": shape7, "currency": shape7, "totalPriceCents": "integer", "pickupEta": shape7, "dropoffEta": shape7 }, required: ["quoteId","totalPriceCents"] }
const shape10: Shape = { list: shape9 }
const shape11: Shape = { known: ["OUTSIDE_COVERAGE","NO_CAPACITY","OUTSIDE_HOURS","REQUIREMENT_UNSUPPORTED"] }
const shape12: Shape = { anyOf: [shape11, "null"] }
const shape13: Shape = { fields: { "clientOrderReference": shape7, "quotes": shape10, "expiresAt": shape7, "noQuoteReason": shape12 }, required: ["quotes"] }
const shape14: Shape = { known: ["scheduled","accepted","dispatch_failed","reassigning","driver_assigned","driver_enroute_to_pickup","driver_at_pickup","pickup_complete","driver_enroute_to_dropoff","driver_at_dropoff","delivered","failed","return_in_progress","returned","cancelled","expired"] }
const shape15: Shape = { known: ["recipient_unavailable","recipient_refused","recipient_not_at_cq","address_not_found","address_inaccessible","unsupported_destination_type","denied_at_gate","credential_expired","credential_not_valid_for_installation","gate_closed","fpcon_elevated","escort_unavailable","verification_failed","age_verification_failed","photography_prohibited_no_substitute","package_damaged","package_not_ready","no_carrier_available","outside_service_area","quote_expired","cancelled_by_merchant","cancelled_by_recipient","cancelled_by_carrier","cancelled_by_service","weather_or_road_closure"] }
const shape16: Shape = { anyOf: [shape15, "null"] }
const shape17: Shape = { anyOf: [shape14, "null"] }
const shape18: Shape = { fields: { "status": shape17, "occurredAt": shape7, "statusReasonCode": shape16, "statusReason": shape7 }, required: [] }
const shape19: Shape = { list: shape18 }
const shape20: Shape = { anyOf: [shape19, "null"] }
const shape21: Shape = { fields: { "storeReference": shape7, "businessName": shape7 }, required: [] }
const shape22: Shape = { anyOf: [shape21, "null"] }
const shape23: Shape = { fields: { "line1": shape7, "city": shape7, "state": shape7, "postalCode": shape7 }, required: [] }
const shape24: Shape = { anyOf: ["string", shape23, "null"] }
const shape25: Shape = { fields: { "code": shape7, "gate": shape7 }, required: [] }
const shape26: Shape = { anyOf: [shape25, "null"] }
const shape27: Shape = { known: ["cq_desk","mailroom","gate_handoff","visitor_center"] }
const shape28: Shape = { anyOf: [shape27, "null"] }
const shape29: Shape = { fields: { "buildingNumber": shape7, "room": shape7, "unitDesignation": shape7, "deliveryPoint": shape28 }, required: [] }
const shape30: Shape = { anyOf: [shape29, "null"] }
const shape31: Shape = { fields: { "address": shape24, "contactName": shape7, "contactPhone": shape7, "instructions": shape7, "installation": shape26, "unit": shape30 }, required: [] }
const shape32: Shape = { anyOf: [shape31, "null"] }
const shape33: Shape = { fields: { "currency": shape7, "deliveryFeeCents": shape3, "tipAmountCents": shape3, "cancellationFeeCents": shape3, "totalPriceCents": shape3 }, required: [] }
const shape34: Shape = { anyOf: [shape33, "null"] }
const shape35: Shape = { fields: { "latitude": "number", "longitude": "number", "updatedAt": shape7 }, required: ["latitude","longitude"] }
const shape36: Shape = { anyOf: [shape35, "null"] }
const shape37: Shape = { fields: { "id": shape7, "name": shape7, "phoneNumber": shape7, "vehicleDescription": shape7, "location": shape36 }, required: [] }
const shape38: Shape = { anyOf: [shape37, "null"] }
const shape39: Shape = { known: ["photo","signature","barcode","pincode"] }
const shape40: Shape = { known: ["dropoff"] }
const shape41: Shape = { anyOf: [shape40, "null"] }
const shape42: Shape = { fields: { "type": shape39, "stage": shape41, "url": shape7, "capturedAt": shape7 }, required: ["type"] }
const shape43: Shape = { list: shape42 }
const shape44: Shape = { anyOf: [shape43, "null"] }
const shape45: Shape = { map: "any" }
const shape46: Shape = { anyOf: [shape45, "null"] }
const shape47: Shape = { known: ["photo","signature","identity","pinCode","barcode"] }
const shape48: Shape = { anyOf: [shape47, "null"] }
const shape49: Shape = { fields: { "mechanism": shape48, "level": shape7, "minimumAge": shape3, "source": shape7 }, required: [] }
const shape50: Shape = { anyOf: [shape49, "string"] }
const shape51: Shape = { list: shape50 }
const shape52: Shape = { anyOf: [shape51, "null"] }
const shape53: Shape = { fields: { "mechanism": shape48, "reason": shape7, "substitutedBy": shape7 }, required: [] }
const shape54: Shape = { anyOf: [shape53, "string"] }
const shape55: Shape = { list: shape54 }
const shape56: Shape = { anyOf: [shape55, "null"] }
const shape57: Shape = { fields: { "dropoff": shape46, "derived": shape52, "suppressed": shape56 }, required: [] }
const shape58: Shape = { anyOf: [shape57, "null"] }
const shape59: Shape = { fields: { "deliveryId": "non-empty string", "clientOrderReference": shape7, "status": shape14, "statusReason": shape7, "statusReasonCode": shape16, "statusHistory": shape20, "pickup": shape22, "dropoff": shape32, "pricing": shape34, "driver": shape38, "proofOfDelivery": shape44, "resolvedVerification": shape58, "trackingUrl": shape7, "createdAt": shape7, "updatedAt": shape7 }, required: ["deliveryId","status"] }
const shape60: Shape = { fields: { "deliveryId": "non-empty string", "clientOrderReference": shape7, "status": shape14, "createdAt": shape7, "updatedAt": shape7 }, required: ["deliveryId","status"] }
const shape61: Shape = { list: shape60 }
const shape62: Shape = { fields: { "deliveries": shape61, "nextCursor": shape7 }, required: ["deliveries"] }
const shape63: Shape = { known: ["delivery.scheduled","delivery.accepted","delivery.dispatch_failed","delivery.reassigning","delivery.driver_assigned","delivery.driver_enroute_to_pickup","delivery.driver_at_pickup","delivery.pickup_complete","delivery.driver_enroute_to_dropoff","delivery.driver_at_dropoff","delivery.delivered","delivery.failed","delivery.return_in_progress","delivery.returned","delivery.cancelled","delivery.expired","delivery.driver_location_updated","delivery.eta_updated","delivery.proof_of_delivery_added","driver.created","driver.updated","driver.deleted","driver.duty_changed","installation.access_policy_changed"] }
const shape64: Shape = { list: shape63 }
const shape65: Shape = { fields: { "deliveryId": "string", "livemode": shape2, "status": shape14, "emittedEvents": shape64 }, required: ["deliveryId","status","emittedEvents"] }
const shape66: Shape = { known: ["active","inactive"] }
const shape67: Shape = { anyOf: [shape66, "null"] }
const shape68: Shape = { list: "string" }
const shape69: Shape = { anyOf: [shape68, "null"] }
const shape70: Shape = { fields: { "id": "string", "name": shape7, "phoneNumber": shape7, "onDuty": shape2, "status": shape67, "teams": shape69, "vehicleDescription": shape7 }, required: ["id"] }
const shape71: Shape = { list: shape70 }
const shape72: Shape = { fields: { "id": "string", "name": shape7, "workerCount": shape3, "hubDestinationId": shape7 }, required: ["id"] }
const shape73: Shape = { list: shape72 }
const shape74: Shape = { known: ["army","navy","air_force","marine_corps","space_force","coast_guard","joint","dla"] }
const shape75: Shape = { anyOf: [shape74, "null"] }
const shape76: Shape = { known: ["id_required","escort_required","restricted"] }
const shape77: Shape = { anyOf: [shape76, "null"] }
const shape78: Shape = { list: shape27 }
const shape79: Shape = { anyOf: [shape78, "null"] }
const shape80: Shape = { fields: { "code": "string", "name": shape7, "branch": shape75, "state": shape7, "acceptingDeliveries": shape2, "accessLevel": shape77, "photographyPermitted": shape2, "supportedDeliveryPoints": shape79 }, required: ["code"] }
const shape81: Shape = { list: shape80 }
const shape82: Shape = { fields: { "installations": shape81, "nextCursor": shape7 }, required: ["installations"] }
const shape83: Shape = { known: ["normal","alpha","bravo","charlie","delta"] }
const shape84: Shape = { anyOf: [shape83, "null"] }
const shape85: Shape = { known: ["no_recording_devices"] }
const shape86: Shape = { anyOf: [shape85, "null"] }
const shape87: Shape = { known: ["photo","signature","pin_code","barcode"] }
const shape88: Shape = { list: shape87 }
const shape89: Shape = { anyOf: [shape88, "null"] }
const shape90: Shape = { fields: { "name": "string", "commercialVehiclesPermitted": shape2, "hours": shape7, "timezone": shape7 }, required: ["name"] }
const shape91: Shape = { list: shape90 }
const shape92: Shape = { anyOf: [shape91, "null"] }
const shape93: Shape = { fields: { "code": "string", "name": shape7, "branch": shape75, "state": shape7, "acceptingDeliveries": shape2, "accessLevel": shape77, "photographyPermitted": shape2, "supportedDeliveryPoints": shape79, "fpconLevel": shape84, "imagingRestrictions": shape86, "permittedProofTypes": shape89, "prohibitedCargo": shape69, "gates": shape92, "policyUpdatedAt": shape7 }, required: ["code"] }
const shape94: Shape = { fields: { "code": "string", "name": shape7, "accessLevel": shape77, "fpconLevel": shape84 }, required: ["code"] }
const shape95: Shape = { anyOf: [shape94, "null"] }
const shape96: Shape = { fields: { "serviceable": "boolean", "reasonCode": shape7, "reason": shape7, "installation": shape95, "recommendedGate": shape7, "credentialedDriversAvailable": shape2, "permittedProofTypes": shape69, "suppressedProofTypes": shape69, "supportedDeliveryPoints": shape69, "retryAfter": shape7, "evaluatedAt": shape7 }, required: ["serviceable"] }
const shape97: Shape = { known: ["pending","failed","no_endpoint_configured","delivered"] }
const shape98: Shape = { anyOf: [shape97, "null"] }
const shape99: Shape = { fields: { "eventId": "non-empty string", "eventType": shape63, "occurredAt": "string", "livemode": shape2, "deliveryId": shape7, "deliveryAttempts": shape3, "lastDeliveryStatus": shape98, "lastAttemptAt": shape7, "data": "any" }, required: ["eventId","eventType","occurredAt","data"] }
const shape100: Shape = { list: shape99 }
const shape101: Shape = { fields: { "events": shape100, "nextCursor": shape7 }, required: ["events"] }

/** What a client needs of each operation, without its schemas. */
export const operationDescriptors: Readonly<Record<keyof OperationTypes, OperationDescriptor>> = {
getCapabilities: { "method":"GET","path":"/capabilities", responses: { 200: shape5 } },
getHealth: { "method":"GET","path":"/health","authenticated":false, responses: { 200: shape8, 503: shape8 } },
createQuote: { "method":"POST","path":"/quotes","repeat":"safe", responses: { 200: shape13 } },
createDelivery: { "method":"POST","path":"/deliveries","idempotencyKey":"required", responses: { 200: shape59, 201: shape59 } },
getDelivery: { "method":"GET","path":"/deliveries/{deliveryId}", responses: { 200: shape59 } },
listDeliveries: { "method":"GET","path":"/deliveries","pageOf":"deliveries", responses: { 200: shape62 } },
updateDelivery: { "method":"PATCH","path":"/deliveries/{deliveryId}","repeat":"fields-compared", responses: { 200: shape59 } },
cancelDelivery: { "method":"POST","path":"/deliveries/{deliveryId}/cancel","idempotencyKey":"optional", responses: { 200: shape59 } },
simulateDelivery: { "method":"POST","path":"/deliveries/{deliveryId}/simulate","repeat":"status-compared", responses: { 200: shape65 } },
listDrivers: { "method":"GET","path":"/drivers", responses: { 200: shape71 } },
getDriver: { "method":"GET","path":"/drivers/{driverId}", responses: { 200: shape70 } },
listTeams: { "method":"GET","path":"/teams", responses: { 200: shape73 } },
listInstallations: { "method":"GET","path":"/installations","pageOf":"installations", responses: { 200: shape82 } },
getInstallation: { "method":"GET","path":"/installations/{installationCode}", responses: { 200: shape93 } },
checkServiceability: { "method":"POST","path":"/serviceability","repeat":"safe", responses: { 200: shape96 } },
listEvents: { "method":"GET","path":"/events","pageOf":"events", responses: { 200: shape101 } },
}
