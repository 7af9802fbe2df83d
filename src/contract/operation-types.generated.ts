// Written by `npm run contract-types` from the contract's schemas; a test checks that it is current.
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

/** The query of `listDeliveries` with `from`. */
export interface ListDeliveriesQueryByFrom {
  /** The reference of one order: gives one delivery or none, and ignores the times. */
  clientOrderReference?: string | undefined
  /** Created at this time or later. */
  from: Time
  /** Created before this time. Default now. */
  to?: Time | undefined
  /** Only deliveries with this status. */
  status?: KnownDeliveryStatus | undefined
  /** Where the page starts: the `nextCursor` of the page before. Keep all filters the same. */
  cursor?: string | undefined
  /** How many items a page has at most: 1 to 100. Default 50. */
  limit?: number | undefined
}

/** The query of `listDeliveries` with `clientOrderReference`. */
export interface ListDeliveriesQueryByClientOrderReference {
  /** The reference of one order: gives one delivery or none, and ignores the times. */
  clientOrderReference: string
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

/** The input of `listDeliveries`. */
export interface ListDeliveriesInput {
  /** The filters, and the number of results in a page. */
  query: ListDeliveriesQuery
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
   * client makes a new one if it is absent.
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
   * Without `idempotencyKey` the key follows from the order: the same order sent again is answered with the same
   * delivery. Lost responses are healed by sending the request again with the same key.
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
