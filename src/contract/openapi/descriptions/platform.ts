import type { Descriptions } from './fields.js'

/** Descriptions of the account, health and errors. */
export const platform: Descriptions = {
  Capabilities: {
    self: 'What the account can do.',
    accountType: 'Whether carriers of a marketplace or an owned fleet deliver.',
    capabilities: 'The feature flags of the account. An absent one is off.',
    'capabilities.cancellationFees':
      'Whether a cancellation can cost a fee, told in `pricing.cancellationFeeCents`. Null if not known.',
    'capabilities.driverLocationStreaming': 'Whether deliveries have the location of their driver. Null if not known.',
    'capabilities.itemLevelPackage': 'Whether `package.items` is used. Null if not known.',
    'capabilities.marketplaceDispatch': 'Whether carriers of the marketplace deliver. Null if not known.',
    'capabilities.maxRequestsPerSecond': 'How many requests a second the API key allows. Null if not known.',
    'capabilities.ownedFleetDispatch':
      'Whether drivers of your own fleet deliver: teams, drivers and `dispatch`. Null if not known.',
    'capabilities.quotes': 'Whether quotes can be asked for. Null if not known.',
    'capabilities.requirementEnforcement':
      'Whether required verification is enforced at the dropoff. Null if not known.',
    'capabilities.returns': 'Whether a failed delivery can be returned to the store. Null if not known.',
    'capabilities.routeOptimization': 'Whether several deliveries are combined into one route. Null if not known.',
  },
  ErrorBody: {
    self: 'What the service says of an error.',
    error: 'The error.',
    'error.code': 'What is wrong: branch on it. New codes can appear without notice.',
    'error.message': 'What is wrong, in words. Wording can change: branch on `code`.',
    'error.requestId': 'The id of the request, for support. Null if it has none.',
    'error.details': 'More about the error; its shape depends on the code. Null or absent if there is nothing.',
    'error.details.fieldErrors': 'The fields that are invalid.',
  },
  ErrorCode: { self: 'What is wrong: a known code, or one that a newer service has added.' },
  FieldError: {
    self: 'A field that is invalid.',
    field: 'Where it is, such as `dropoff.contactPhone`.',
    code: 'What is wrong with it, such as `REQUIRED`.',
    message: 'What is wrong with it, in words.',
  },
  Health: {
    self: 'The health of the service.',
    status: 'Whether it works as usual.',
    checkedAt: 'When that was checked, RFC 3339 in UTC. Null if not known.',
  },
}

/** Descriptions of drivers and teams. */
export const fleet: Descriptions = {
  DriverProfile: {
    self: 'A driver of the fleet. Marketplace accounts may only see drivers on active deliveries.',
    id: 'The id of the driver.',
    status: 'Whether the driver takes part in dispatch at all. Null if that is not known.',
    teams: 'The ids of the teams of the driver. Null if they are not known.',
  },
  Team: {
    self: 'A dispatch team of an owned fleet.',
    id: 'The id of the team.',
    hubDestinationId: 'The id of the place that the team starts from. Null if it has none.',
    workerCount: 'How many drivers it has. Null if that is not known.',
  },
}

/** Descriptions of parameters: queries by operation, paths and headers. */
export const parameters: Descriptions = {
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
      'The same key and body within 24 hours get the first response again, and nothing is dispatched twice: 1 to 128 printable ASCII characters.',
  },
}
