/**
 * What the types and fields of the contract mean: the source of the OpenAPI document's descriptions and of the comments
 * that an editor shows. Kept apart from the schemas, which every command loads.
 */

/** Fields that mean the same wherever they occur. */
const fields: Readonly<Record<string, string>> = {
  acceptingDeliveries: 'Whether it takes commercial deliveries now. Null if that is not known.',
  accessLevel: 'What a driver needs to get in. Null if that is not known.',
  address: 'Where to deliver: one line, or its parts.',
  branch: 'The service branch that runs it. Null if that is not known.',
  buildingNumber: 'The number of the building, such as `4-1421`.',
  cancellationFeeCents:
    'The fee of a cancellation, in cents. Null or absent if none is due or the account has no fees.',
  city: 'The city.',
  clientOrderReference: 'Your own reference of the order, 1 to 128 characters, unique in your account.',
  code: 'The code, such as `FTBRAGG`.',
  contactName: 'The person who receives the delivery.',
  contactPhone: 'The phone number of the recipient in E.164, such as `+19105550142`.',
  contains:
    'What the package has that rules apply to, such as `alcohol`; at most 100 words. Some installations prohibit some of them.',
  createdAt: 'When it was created, RFC 3339 in UTC. Null if that is not known.',
  currency: 'The currency of the amounts, such as `USD`.',
  cursor: 'Where the page starts: the `nextCursor` of the page before. Keep all filters the same.',
  delivery: 'The delivery as it was when the event happened.',
  deliveryId: 'The id of the delivery, such as `del_01J…`.',
  deliveryPoint: 'Where on the installation it is handed over. Null or absent if it was left open.',
  driver: 'The driver. Null or absent as long as none is assigned.',
  dropoff: 'Where the delivery goes, and to whom.',
  end: 'The latest time.',
  eventId: 'The id of the event, equal to the header `webhook-id`. Handle each id only once.',
  eventType: 'What happened, such as `delivery.delivered`. New types can appear without notice.',
  fpconLevel: 'The force protection condition: the higher, the stricter the gates. Null if that is not known.',
  gate: 'The gate to enter by. Null or absent if it was left open.',
  hours: 'The opening hours as text, such as `Mon-Fri 05:00-20:00`. Null if they are not known.',
  identity: 'Whether the recipient has to show an identity document.',
  installation: 'The military installation that the address is on. Null or absent elsewhere.',
  instructions: 'What the driver should know, at most 280 characters.',
  level: 'How it is wanted: not at all, if possible, or without exception.',
  limit: 'How many items a page has at most: 1 to 100. Default 50.',
  line1: 'Street and number.',
  livemode: '`false` for everything of a sandbox.',
  minimumAge: 'The age in years that the recipient has to prove, 0 to 150.',
  name: 'The name. Null if it is not known.',
  nextCursor: 'The `cursor` of the next page. Null on the last one.',
  occurredAt: 'When it happened, RFC 3339 in UTC.',
  onDuty: 'Whether the driver is at work. Null if that is not known.',
  package: 'What is delivered.',
  phoneNumber: 'The phone number in E.164. Null if it is not known.',
  photographyPermitted: 'Whether a driver may take photos there. Null if that is not known.',
  pickup: 'Where the delivery starts.',
  postalCode: 'The US postal code, 5 or 9 digits.',
  previousStatus: 'The status before this event. Null or absent if it changed none.',
  quoteId: 'The quote whose price and carrier to use. It must not have expired.',
  reason: 'The reason in words. Wording can change: branch on the code.',
  room: 'The room or suite.',
  start: 'The earliest time.',
  state: 'The US state or territory, two letters.',
  status: 'Where the delivery is. New statuses can appear without notice.',
  statusReason:
    'Why it has this status, in words. Null if there is nothing to say. Wording can change: branch on `statusReasonCode`.',
  statusReasonCode: 'Why it has this status. Null or absent for statuses that need no reason.',
  storeReference: 'Your reference of the store that it is picked up at.',
  supportedDeliveryPoints: 'Where on the installation deliveries are handed over. Null if that is not known.',
  timeWindows: 'When to pick up and to deliver. Absent means as soon as possible.',
  timezone: 'The time zone of the opening hours, such as `America/New_York`. Null if it is not known.',
  tipAmountCents: 'The tip for the driver, in cents.',
  totalPriceCents: 'The whole price, in cents.',
  unit: 'Where on the installation the recipient is. Null or absent elsewhere.',
  unitDesignation: 'The military unit, such as `A Co, 2-505 PIR`.',
  updatedAt: 'When it last changed, RFC 3339 in UTC. Null if that is not known.',
  vehicleDescription: 'The vehicle, such as `Yellow Kia Soul`. Null if it is not known.',
  verification: 'How the handover is verified.',
}

interface Description {
  /** The type itself. */
  self: string
  [path: string]: string
}

const photo = 'A photo of the handover. Some installations prohibit photography.'
const orderFields = {
  'dropoff.address': 'Where to deliver: one line, or its parts.',
  dispatch: 'How a driver of an owned fleet is chosen.',
  handling: 'How it is handed over, and what to do if nobody takes it.',
  metadata: 'Anything of your own; it is not shown to the driver.',
  verification: 'How the handover is verified.',
  'verification.dropoff': 'How the handover is verified at the dropoff.',
}

/** The types by name, and their fields where the general description does not fit. */
const types: Readonly<Record<string, Description>> = {
  CancelRequest: {
    self: 'Why a delivery is cancelled. It is recorded and not shown to the driver.',
    reason: 'A short reason, such as `customer_cancelled`; at most 64 characters.',
    reasonNotes: 'More about the reason, at most 500 characters.',
  },
  Capabilities: {
    self: 'What the account can do.',
    accountType: 'Whether carriers of a marketplace or an owned fleet deliver.',
    capabilities: 'The feature flags of the account. An absent one is off.',
    'capabilities.cancellationFees': 'Whether a cancellation can cost a fee, told in `pricing.cancellationFeeCents`.',
    'capabilities.driverLocationStreaming': 'Whether deliveries have the location of their driver.',
    'capabilities.itemLevelPackage': 'Whether `package.items` is used.',
    'capabilities.marketplaceDispatch': 'Whether carriers of the marketplace deliver.',
    'capabilities.maxRequestsPerSecond': 'How many requests a second the API key allows.',
    'capabilities.ownedFleetDispatch': 'Whether drivers of your own fleet deliver: teams, drivers and `dispatch`.',
    'capabilities.quotes': 'Whether quotes can be asked for.',
    'capabilities.requirementEnforcement': 'Whether required verification is enforced at the dropoff.',
    'capabilities.returns': 'Whether a failed delivery can be returned to the store.',
    'capabilities.routeOptimization': 'Whether several deliveries are combined into one route.',
  },
  Delivery: {
    self: 'A delivery: the result of an order.',
    clientOrderReference: 'Your own reference of the order. Null if it has none.',
    pickup: 'The store that it is picked up at. Null if it is not told.',
    dropoff: 'Where it goes, and to whom. Null if it is not told.',
    pricing: 'What it costs; all amounts are in cents. Null or absent if nothing is known yet.',
    proofOfDelivery: 'What was captured at the handover. Null or absent before it.',
    resolvedVerification:
      'How the handover is verified in fact, after the rules of cargo and destination. Null or absent if nothing is known yet.',
    statusHistory: 'Every status so far, oldest first. Only `getDelivery` returns it.',
    trackingUrl: 'A page for the recipient that shows where the delivery is. Null or absent if there is none.',
  },
  DeliveryCreate: {
    self: 'An order: what to deliver, from where, to whom and when.',
    ...orderFields,
  },
  DeliveryEvent: {
    self: 'Something happened to a delivery. Its snapshot counts more than what events before it said.',
    eventType: 'What happened to the delivery, such as `delivery.delivered`.',
    eta: 'Estimated times of arrival. Null or absent unless they changed.',
    'eta.pickup': 'When the driver is expected at the store, RFC 3339 in UTC. Null if that is not known.',
    'eta.dropoff': 'When the driver is expected at the dropoff, RFC 3339 in UTC. Null if that is not known.',
  },
  DeliveryListItem: {
    self: 'A delivery in a list; `getDelivery` has the rest.',
    clientOrderReference: 'Your own reference of the order. Null if it has none.',
  },
  DeliveryPage: { self: 'A page of deliveries, newest first.', deliveries: 'The deliveries of this page.' },
  DeliveryStatus: { self: 'A status of a delivery: a known one, or one that a newer service has added.' },
  DeliveryUpdate: {
    self: 'What to change of a delivery: what is absent stays, and null clears an optional value.',
    ...orderFields,
    clientOrderReference: 'Your own reference of the order, 1 to 128 characters, unique in your account.',
  },
  DispatchInput: {
    self: 'How a driver of an owned fleet is chosen.',
    mode: 'Whether a team takes it from its queue, or a driver is assigned. Needs the capability `ownedFleetDispatch`.',
    teamReference: 'The id of the team that takes it.',
  },
  Driver: {
    self: 'The driver of a delivery.',
    id: 'The id of the driver.',
    location: 'Where the driver was last seen. Null or absent if that is not known.',
  },
  DriverEvent: {
    self: 'Something happened to a driver of an owned fleet.',
    driver: 'The driver; an event about duty may only have `id`, `name` and `onDuty`.',
    eventType: 'What happened to the driver, such as `driver.duty_changed`.',
  },
  DriverLocation: {
    self: 'Where a driver was last seen.',
    latitude: 'Degrees north, -90 to 90.',
    longitude: 'Degrees east, -180 to 180.',
    updatedAt: 'When the driver was seen there, RFC 3339 in UTC. Null if that is not known.',
  },
  DriverProfile: {
    self: 'A driver of the fleet. Marketplace accounts may only see drivers on active deliveries.',
    id: 'The id of the driver.',
    status: 'Whether the driver takes part in dispatch at all. Null if that is not known.',
    teams: 'The ids of the teams of the driver. Null if they are not known.',
  },
  Dropoff: {
    self: 'Where a delivery goes, and to whom.',
    address: 'Where to deliver: one line, or its parts. Null if it is not told.',
    'address.line1': 'Street and number. Null if they are not known.',
    'address.city': 'The city. Null if it is not known.',
    'address.state': 'The US state or territory, two letters. Null if it is not known.',
    'address.postalCode': 'The US postal code, 5 or 9 digits. Null if it is not known.',
    contactName: 'The person who receives the delivery. Null if it is not told.',
    contactPhone: 'The phone number of the recipient in E.164. Null if it is not told.',
    instructions: 'What the driver should know. Null if there is nothing.',
    'installation.code': 'The code of the installation, such as `FTBRAGG`. Null if it is not known.',
    'unit.buildingNumber': 'The number of the building. Null if it was not given.',
    'unit.room': 'The room or suite. Null if it was not given.',
    'unit.unitDesignation': 'The military unit. Null if it was not given.',
  },
  DropoffVerification: {
    self: 'How the handover is verified at the dropoff. Rules of cargo and destination may add to it.',
    photo,
    'photo.substituteWhenProhibited': 'What to do instead where photography is prohibited.',
    signature: 'A signature of the recipient.',
    'signature.collectSignerName': 'Whether to ask for the name of the person who signs.',
    pinCode: 'A code that the recipient tells the driver.',
    'pinCode.source': 'Where the code comes from.',
    barcode: 'Barcodes that the driver scans.',
    'barcode.values': 'The barcodes to be scanned, at most 1,000.',
  },
  ErrorBody: {
    self: 'What the service says of an error. The client throws it as an `ApiError`.',
    error: 'The error.',
    'error.code': 'What is wrong: branch on it. New codes can appear without notice.',
    'error.message': 'What is wrong, in words. Wording can change: branch on `code`.',
    'error.requestId': 'The id of the request, for support. Null if it has none.',
    'error.details': 'More about the error; its shape depends on the code. Null or absent if there is nothing.',
    'error.details.fieldErrors': 'The fields that are invalid.',
  },
  EventPage: { self: 'A page of events, oldest first.', events: 'The events of this page.' },
  EventRecord: {
    self: 'A past event, with the state of its webhook.',
    data: 'The body of the webhook, as it was sent.',
    deliveryId: 'The id of the delivery that it is about. Null for other events.',
    deliveryAttempts: 'How often its webhook was sent so far. Null if that is not known.',
    lastAttemptAt: 'When its webhook was last sent, RFC 3339 in UTC. Null before the first attempt.',
    lastDeliveryStatus:
      'How sending its webhook went: `pending` is still retried, `failed` was given up. Null if that is not known.',
  },
  FieldError: {
    self: 'A field that is invalid.',
    field: 'Where it is, such as `dropoff.contactPhone`.',
    code: 'What is wrong with it, such as `REQUIRED`.',
    message: 'What is wrong with it, in words.',
  },
  Gate: {
    self: 'A gate of an installation.',
    name: 'The name of the gate.',
    commercialVehiclesPermitted: 'Whether delivery vehicles may enter by it. Null if that is not known.',
  },
  HandlingInput: {
    self: 'How an order is handed over, and what to do if nobody takes it.',
    handoff: 'Who takes it, such as `hand_to_recipient` or `cq_desk`.',
    undeliverableAction: 'What to do if it cannot be delivered.',
    fallbackHandoff: 'Who takes it instead, with `fallback_handoff`.',
  },
  Health: {
    self: 'The health of the service.',
    status: 'Whether it works as usual.',
    checkedAt: 'When that was checked, RFC 3339 in UTC.',
  },
  Installation: {
    self: 'A military installation with its access policy. Do not cache it: the policy can change at any time.',
    gates: 'Its gates. Null if they are not known.',
    imagingRestrictions: 'What is prohibited besides photography. Null if there is nothing.',
    permittedProofTypes: 'How a handover can be proved there. Null if that is not known.',
    policyUpdatedAt: 'When the access policy last changed, RFC 3339 in UTC. Null if that is not known.',
    prohibitedCargo:
      'What packages there must not contain, by the words of `package.contains`. Null if that is not known.',
  },
  InstallationEvent: {
    self: 'The access policy of an installation changed that the account delivers to.',
    affectedDeliveryCount: 'How many of your active deliveries go there.',
    changed: 'The names of the fields that changed, such as `fpconLevel`.',
    eventType: '`installation.access_policy_changed`.',
    installation: 'The installation with its new policy.',
  },
  InstallationListItem: { self: 'An installation in a list; `getInstallation` has its access policy.' },
  InstallationPage: { self: 'A page of installations.', installations: 'The installations of this page.' },
  InstallationStop: {
    self: 'The military installation that an address is on.',
    code: 'The code of the installation, such as `FTBRAGG`.',
  },
  KnownDeliveryStatus: { self: 'A status of a delivery that this version knows.' },
  KnownStatusReasonCode: { self: 'A reason for a status that this version knows.' },
  PackageInput: {
    self: 'What is delivered.',
    description: 'What is in it, in words.',
    items: 'Its items, at most 1,000. Needs the capability `itemLevelPackage`.',
    itemsCount: 'How many items it has.',
    valueCents: 'What it is worth, in cents.',
    weightGrams: 'Its weight in grams.',
  },
  Pickup: {
    self: 'The store that a delivery is picked up at.',
    businessName: 'The name of the store. Null if it is not known.',
    storeReference: 'Your reference of the store. Null if it is not told.',
  },
  PickupInput: { self: 'The store that an order is picked up at.' },
  Pricing: {
    self: 'What a delivery costs. All amounts are integer cents.',
    deliveryFeeCents: 'The fee of the delivery itself, in cents.',
    tipAmountCents: 'The tip for the driver, in cents. Null if there is none.',
    totalPriceCents: 'The whole price with tip and fees, in cents.',
  },
  ProofOfDelivery: {
    self: 'What was captured at a handover.',
    type: 'What it is.',
    stage: 'Where it was captured.',
    url: 'Where the image is. Null if there is none, such as for a PIN code.',
    capturedAt: 'When it was captured, RFC 3339 in UTC. Null if that is not known.',
  },
  Quote: {
    self: 'An offered price.',
    quoteId: 'The id of the quote: give it to `createDelivery` before `expiresAt`.',
    carrierId: 'The id of the carrier. Null if it is not told.',
    carrierName: 'The name of the carrier. Null if it is not told.',
    currency: 'The currency of the price, such as `USD`. Null if it is not told.',
    dropoffEta: 'When it would arrive, RFC 3339 in UTC. Null if that is not known.',
    pickupEta: 'When it would be picked up, RFC 3339 in UTC. Null if that is not known.',
  },
  QuoteCreate: {
    self: 'What a price is asked for: an order of which only the store and the address are required.',
    clientOrderReference: 'Your own reference of the order, 1 to 128 characters.',
    ...orderFields,
  },
  QuoteResponse: {
    self: 'The quotes for a request. Having none is not an error.',
    clientOrderReference: 'Your own reference of the order. Null if none was given.',
    expiresAt: 'Until when the quotes hold, RFC 3339 in UTC. Null if there are none.',
    noQuoteReason: 'Why there are no quotes. Null or absent if there are.',
    quotes: 'What carriers offer; empty if nobody can serve the request.',
  },
  ResolvedVerification: {
    self: 'How a handover is verified in fact, after the rules of cargo and destination.',
    dropoff: 'What is enforced at the dropoff.',
    derived: 'What was added to the request by a rule.',
    'derived.level': 'How it is wanted, such as `required`.',
    'derived.mechanism': 'What was added.',
    'derived.minimumAge': 'The age in years that the recipient has to prove.',
    'derived.source': 'The rule that added it.',
    suppressed: 'What was taken out of the request by a rule.',
    'suppressed.mechanism': 'What was taken out.',
    'suppressed.reason': 'Why it was taken out.',
    'suppressed.substitutedBy': 'What takes its place. Null if nothing does.',
  },
  Serviceability: {
    self: 'Whether a stop can be served at this moment. Do not cache it across a scheduled window.',
    serviceable: 'Whether it can be served. `false` is a result, not an error.',
    reasonCode: 'Why it cannot be served, such as `gate_closed`. Null or absent if it can.',
    reason: 'Why it cannot be served, in words. Null or absent if it can.',
    'installation.code': 'The code of the installation, such as `FTBRAGG`.',
    recommendedGate: 'The gate to enter by. Null if none is recommended.',
    credentialedDriversAvailable:
      'Whether a driver with a credential for the installation is available. Null if that does not matter.',
    permittedProofTypes: 'How a handover can be proved there. Null if nothing limits it.',
    suppressedProofTypes: 'How a handover cannot be proved there. Null if nothing limits it.',
    retryAfter: 'When to check again, RFC 3339 in UTC. Null or absent unless the obstacle is temporary.',
    evaluatedAt: 'When this was evaluated, RFC 3339 in UTC. Null if that is not known.',
  },
  ServiceabilityRequest: {
    self: 'The stop to check.',
    deliverAt: 'When it would be delivered. Default now.',
    package: 'What would be delivered.',
  },
  SimulateRequest: {
    self: 'What a delivery of the sandbox should become.',
    advanceTo: 'The status to move to; every status on the way is passed.',
    statusReasonCode: 'Why, for a status that needs a reason.',
    emitIntermediateEvents: '`false` emits only the event of the last status. Default `true`.',
  },
  SimulateResponse: {
    self: 'What a simulation did.',
    emittedEvents: 'The types of the events that were emitted, in their order.',
    status: 'The status that the delivery has now.',
  },
  StatusHistoryEntry: {
    self: 'A status that a delivery had.',
    occurredAt: 'When it began, RFC 3339 in UTC.',
    status: 'The status.',
  },
  StatusReasonCode: { self: 'A reason for a status: a known one, or one that a newer service has added.' },
  StructuredAddress: { self: 'A US address by its parts.' },
  Team: {
    self: 'A dispatch team of an owned fleet.',
    id: 'The id of the team.',
    hubDestinationId: 'The id of the place that the team starts from. Null if it has none.',
    workerCount: 'How many drivers it has. Null if that is not known.',
  },
  TimeWindow: { self: 'A span of time. An end that is absent is open.' },
  TimeWindows: {
    self: 'When to pick up and to deliver.',
    deliveryMode: 'Whether to deliver as soon as possible or in the windows.',
    dropoff: 'When to deliver.',
    pickup: 'When to pick up.',
  },
  UnitStop: {
    self: 'Where on an installation the recipient is.',
    deliveryPoint: 'Where it is handed over, such as `cq_desk`.',
  },

  ListDeliveriesQuery: {
    self: 'Which deliveries to list. One of `from` and `clientOrderReference` is required.',
    clientOrderReference: 'The reference of one order: gives one delivery or none, and ignores the times.',
    from: 'Created at this time or later.',
    to: 'Created before this time. Default now.',
    status: 'Only deliveries with this status.',
  },
  ListDriversQuery: {
    self: 'Which drivers to list.',
    teamId: 'Only drivers of this team.',
    onDuty: 'Only drivers who are at work, or only others.',
  },
  ListEventsQuery: {
    self: 'Which events to list.',
    delivered: '`false` lists only events whose webhook was not delivered.',
    deliveryId: 'Only events of this delivery.',
    eventType: 'Only events of these types.',
    since: 'Happened at this time or later. Default 24 hours ago, at most 30 days ago.',
    until: 'Happened before this time. Default now.',
  },
  ListInstallationsQuery: {
    self: 'Which installations to list.',
    acceptingDeliveries: 'Only installations that take deliveries now, or only others.',
    branch: 'Only installations of this service branch.',
    state: 'Only installations in this US state or territory, two upper-case letters.',
  },
  Path: {
    self: 'What a path names.',
    driverId: 'The id of the driver, as `listDrivers` returns it.',
    installationCode: 'The code of the installation, such as `FTBRAGG`.',
  },
  Header: {
    self: 'What a header says.',
    'createDelivery.idempotencyKey':
      'The same key and body within 24 hours get the first response again, and nothing is dispatched twice: 1 to 128 printable ASCII characters. The client derives it from the order if it is absent.',
    'cancelDelivery.idempotencyKey':
      'The same key and body within 24 hours get the first response again: 1 to 128 printable ASCII characters. The client makes a new one if it is absent.',
  },
}

/** Updates are described as the order that they change, parts and all. */
const parts: Readonly<Record<string, string>> = {
  'dropoff.address': 'StructuredAddress',
  'dropoff.installation': 'InstallationStop',
  'dropoff.unit': 'UnitStop',
  'timeWindows.pickup': 'TimeWindow',
  'timeWindows.dropoff': 'TimeWindow',
  timeWindows: 'TimeWindows',
  package: 'PackageInput',
  dispatch: 'DispatchInput',
  'verification.dropoff': 'DropoffVerification',
  handling: 'HandlingInput',
  pickup: 'PickupInput',
}

/** What a field means; `path` is dotted, such as `pricing.tipAmountCents`. `undefined` if nobody has said it. */
export function descriptionOf(owner: string, path: string): string | undefined {
  const own = types[owner]?.[path]
  if (own !== undefined) return own
  const part = Object.keys(parts)
    .filter((name) => path.startsWith(`${name}.`))
    .sort((one, other) => other.length - one.length)[0]
  if (part !== undefined && owner.endsWith('Update'))
    return descriptionOf(parts[part] ?? '', path.slice(part.length + 1))
  const name = path.split('.').at(-1) ?? ''
  return fields[name]
}

/** What a type means. */
export function typeDescription(name: string): string | undefined {
  return types[name]?.self
}

/** What callers of a method should know beyond what the document says of the operation. */
export const operationNotes: Readonly<Record<string, string>> = {
  createDelivery:
    'Without `idempotencyKey` the key follows from the order: the same order sent again is answered with the same delivery. ' +
    'Lost responses are healed by sending the request again with the same key.',
  updateDelivery: 'If the response is lost, the delivery is read and compared before anything is sent again.',
  simulateDelivery: 'If the response is lost, the delivery is read and compared before anything is sent again.',
}
