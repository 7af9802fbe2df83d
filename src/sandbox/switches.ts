/** Where the specification leaves room: every reading that can be chosen at run time, with its default first. */
export interface Switches {
  duplicates: 'forever' | 'active'
  unknownFields: 'ignore' | 'reject'
  simulateIllegalCode: 'INVALID_STATE_TRANSITION' | 'VALIDATION_ERROR'
  simulateReasons: 'strict' | 'lenient'
  rateLimitForm: 'token' | 'quoted'
  lookupShape: 'page' | 'array'
  lastDeliveryStatus: 'delivered' | 'null'
  /** Consecutive failed events after which an endpoint is disabled; 0 for never. */
  disableEndpointAfter: number
  /** Adds properties and enum values that no version of the contract knows. */
  future: 'off' | 'on'
}

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

/** What every switch can be set to, the default first; `disableEndpointAfter` is a number. */
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

/** What each switch decides, for whoever has to choose. */
export const switchSummaries: Readonly<Record<keyof Switches, string>> = {
  duplicates: 'whether an order reference is taken for ever, or only while its delivery is active',
  unknownFields: 'whether request fields that the contract does not know are ignored or refused',
  simulateIllegalCode: 'the error code beside 422 when a simulated move is illegal',
  simulateReasons: 'whether a reason that does not fit the simulated status is refused',
  rateLimitForm: 'whether RateLimit names its policy as a token or as a quoted string',
  lookupShape: 'whether a look-up by reference answers with a page or a bare array',
  lastDeliveryStatus: 'what GET /events shows for an event that was delivered',
  disableEndpointAfter: 'how many events in a row a receiver may fail before it is disabled; 0 for any number',
  future: 'whether answers carry properties and values that no version of the contract knows',
}
