import type { KnownErrorCode, KnownStatusReasonCode } from '../../../src/contract/index.js'

/**
 * What the sandbox promises to whoever wants an outcome on purpose, written down apart from the program: each row is
 * played by a test, and the program's own catalogue must hold these values and no others.
 */

/** Reasons for no quote, with the store and the ZIP code that give them. */
export const noQuotes = [
  ['OUTSIDE_COVERAGE', 'STORE-NOQUOTE-COVERAGE', '99952'],
  ['NO_CAPACITY', 'STORE-NOQUOTE-CAPACITY', '99953'],
  ['OUTSIDE_HOURS', 'STORE-NOQUOTE-HOURS', '99954'],
  ['REQUIREMENT_UNSUPPORTED', 'STORE-NOQUOTE-REQ', '99955'],
  ['outside_service_area', 'STORE-NOQUOTE-LEGACY', '99959'],
  ['MARKET_PAUSED', 'STORE-NOQUOTE-FUTURE', '99960'],
] as const

/** Phones: the reason, where the delivery ends, the milestone before, and whether a return can follow. */
export const phones: [
  code: KnownStatusReasonCode | undefined,
  phone: string,
  end: string,
  entry: string,
  returns?: 'returnable',
][] = [
  [undefined, '+12025550100', 'delivered', 'driver_at_dropoff'],
  ['recipient_unavailable', '+12025550110', 'failed', 'driver_at_dropoff', 'returnable'],
  ['recipient_refused', '+12025550111', 'failed', 'driver_at_dropoff', 'returnable'],
  ['recipient_not_at_cq', '+12025550112', 'failed', 'driver_at_dropoff', 'returnable'],
  ['address_not_found', '+12025550120', 'failed', 'driver_enroute_to_dropoff', 'returnable'],
  ['address_inaccessible', '+12025550121', 'failed', 'driver_at_dropoff', 'returnable'],
  ['unsupported_destination_type', '+12025550122', 'failed', 'driver_enroute_to_dropoff', 'returnable'],
  ['denied_at_gate', '+12025550130', 'failed', 'driver_enroute_to_dropoff', 'returnable'],
  ['credential_expired', '+12025550131', 'failed', 'driver_enroute_to_dropoff', 'returnable'],
  ['credential_not_valid_for_installation', '+12025550132', 'failed', 'driver_enroute_to_dropoff', 'returnable'],
  ['gate_closed', '+12025550133', 'failed', 'driver_enroute_to_dropoff', 'returnable'],
  ['fpcon_elevated', '+12025550134', 'failed', 'driver_enroute_to_dropoff', 'returnable'],
  ['escort_unavailable', '+12025550135', 'failed', 'driver_enroute_to_dropoff', 'returnable'],
  ['verification_failed', '+12025550140', 'failed', 'driver_at_dropoff', 'returnable'],
  ['age_verification_failed', '+12025550141', 'failed', 'driver_at_dropoff', 'returnable'],
  ['photography_prohibited_no_substitute', '+12025550142', 'failed', 'driver_at_dropoff', 'returnable'],
  ['package_damaged', '+12025550150', 'failed', 'pickup_complete', 'returnable'],
  ['package_not_ready', '+12025550151', 'failed', 'driver_at_pickup'],
  ['no_carrier_available', '+12025550160', 'expired', 'dispatch_failed'],
  ['outside_service_area', '+12025550161', 'dispatch_failed', ''],
  ['quote_expired', '+12025550162', 'expired', 'accepted'],
  ['cancelled_by_merchant', '+12025550170', 'cancelled', 'driver_assigned'],
  ['cancelled_by_recipient', '+12025550171', 'cancelled', 'driver_enroute_to_pickup'],
  ['cancelled_by_carrier', '+12025550172', 'cancelled', 'driver_enroute_to_pickup'],
  ['cancelled_by_service', '+12025550173', 'cancelled', 'accepted'],
  ['weather_or_road_closure', '+12025550180', 'failed', 'driver_enroute_to_dropoff', 'returnable'],
]

/** Phones that take a way round before they are delivered. */
export const detourPhones = ['+12025550190', '+12025550191', '+12025550192', '+12025550193']

/** Good numbers that are refused nevertheless. */
export const refusedPhones = ['+12025550101']

/** Stores and ZIP codes that are refused on create. */
export const refusals: Record<'store' | 'zip', Record<string, KnownErrorCode>> = {
  store: {
    'STORE-UNKNOWN': 'INVALID_STORE_REFERENCE',
    'STORE-REQ-UNSUPPORTED': 'UNSUPPORTED_REQUIREMENT',
    'STORE-NOPROVIDER': 'NO_ELIGIBLE_PROVIDERS',
    'STORE-429': 'RATE_LIMIT_EXCEEDED',
    'STORE-503': 'SERVICE_UNAVAILABLE',
    'STORE-500': 'INTERNAL_ERROR',
  },
  zip: {
    '99951': 'INVALID_ADDRESS',
    '99956': 'UNSUPPORTED_DESTINATION',
    '99957': 'NO_ELIGIBLE_PROVIDERS',
    '99961': 'INVALID_TIME_CONSTRAINT',
  },
}

/** Invented installations with the answer of `POST /deliveries` to a plain order there. */
export const installations: Record<string, 201 | KnownErrorCode> = {
  ZZOK: 201,
  ZZGATECLOSED: 201,
  ZZFPCON: 'INSTALLATION_NOT_ACCEPTING_DELIVERIES',
  ZZCLOSED: 'INSTALLATION_NOT_ACCEPTING_DELIVERIES',
  ZZNOTSERVED: 'INSTALLATION_NOT_SERVED',
  ZZNODRIVER: 'NO_CREDENTIALED_DRIVER_AVAILABLE',
  ZZESCORT: 201,
  ZZNOPHOTO: 201,
  ZZNOPHOTOSIG: 201,
  ZZDRY: 201,
  ZZGATEONLY: 201,
  ZZFLAP: 201,
}

/** Faults of webhooks. */
export const webhookFaults = [
  'duplicate',
  'shuffle',
  'delay',
  'drop_first',
  'badsig',
  'wrongsecret',
  'stale',
  'future',
  'rotate',
  'unknownscheme',
  'unknowntype',
  'extrafields',
  'bigbody',
  'latearrival',
  'locationburst',
  'gap',
  'nosnapshotdriver',
]

/** Faults of the line between. */
export const transportFaults = ['HANG', 'RESET', 'GARBAGE', 'TRUNCATE', 'TIMEOUT_AFTER_COMMIT']
