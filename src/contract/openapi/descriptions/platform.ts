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
