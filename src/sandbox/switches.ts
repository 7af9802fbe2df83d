/** The switches: choices between readings of ambiguous parts of the contract, at run time. The default is first. */
export interface Switches {
  /** Whether an order reference stays taken forever, or only while its delivery is active. */
  duplicates: 'forever' | 'active'
  /** Whether unknown fields of a request are ignored or rejected. */
  unknownFields: 'ignore' | 'reject'
  /** The error code of an illegal simulated transition. */
  simulateIllegalCode: 'INVALID_STATE_TRANSITION' | 'VALIDATION_ERROR'
  /** Whether a reason that does not fit the simulated status is rejected. */
  simulateReasons: 'strict' | 'lenient'
  /** Whether the header `RateLimit` names its policy as a token or as a quoted string. */
  rateLimitForm: 'token' | 'quoted'
  /** Whether a lookup by reference returns a page or a plain array. */
  lookupShape: 'page' | 'array'
  /** The value of `lastDeliveryStatus` in a delivered event: the status, or null. */
  lastDeliveryStatus: 'delivered' | 'null'
  /** Consecutive failed events after which an endpoint is disabled; 0 for never. */
  disableEndpointAfter: number
  /** Adds properties and enum values that are in no version of the contract. */
  future: 'off' | 'on'
}

/** The readings that the sandbox starts with. */
export const defaultSwitches: Switches = {
  duplicates: 'forever',
  unknownFields: 'ignore',
  simulateIllegalCode: 'INVALID_STATE_TRANSITION',
  simulateReasons: 'strict',
  rateLimitForm: 'token',
  lookupShape: 'page',
  lastDeliveryStatus: 'delivered',
  disableEndpointAfter: 0,
  future: 'off',
}

/** The allowed values of each switch, the default first; `disableEndpointAfter` is a number. */
export const switchChoices = {
  duplicates: ['forever', 'active'],
  unknownFields: ['ignore', 'reject'],
  simulateIllegalCode: ['INVALID_STATE_TRANSITION', 'VALIDATION_ERROR'],
  simulateReasons: ['strict', 'lenient'],
  rateLimitForm: ['token', 'quoted'],
  lookupShape: ['page', 'array'],
  lastDeliveryStatus: ['delivered', 'null'],
  future: ['off', 'on'],
} as const satisfies { [Name in Exclude<keyof Switches, 'disableEndpointAfter'>]: readonly Switches[Name][] }

/** A summary of each switch. */
export const switchSummaries: Readonly<Record<keyof Switches, string>> = {
  duplicates: 'whether an order reference stays taken forever, or only while its delivery is active',
  unknownFields: 'whether unknown fields of a request are ignored or rejected',
  simulateIllegalCode: 'the error code of the 422 response to an illegal simulated transition',
  simulateReasons: 'whether a reason that does not fit the simulated status is rejected',
  rateLimitForm: 'whether RateLimit names its policy as a token or as a quoted string',
  lookupShape: 'whether a lookup by reference returns a page or a plain array',
  lastDeliveryStatus: 'what GET /events shows for a delivered event',
  disableEndpointAfter: 'how many consecutive failed events disable an endpoint; 0 for never',
  future: 'whether responses have properties and values that are in no version of the contract',
}
