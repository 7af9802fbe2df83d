import {
  isKnownStatusReasonCode,
  type KnownErrorCode,
  type KnownStatusReasonCode,
  statusReasonCodes,
} from '../../contract/index.js'
import { magicWords } from '../../contract/internal.js'

export const {
  expiredQuoteId,
  forceHeader,
  magicBeginnings,
  missingIds,
  unknownLine,
  unknownTeamReference,
  unsupportedCargo,
  stores: { slow: slowStore, unknown: unknownStore },
} = magicWords

/**
 * Values that an order can carry to make something happen on purpose. Phones are of the block 555-0100 to 555-0199,
 * which is kept free for fiction; ZIP codes are above the highest one in use.
 */

export const phoneOutcomes: Readonly<Record<string, ScriptedOutcome>> = {
  '+12025550100': 'delivered',
  '+12025550110': 'recipient_unavailable',
  '+12025550111': 'recipient_refused',
  '+12025550112': 'recipient_not_at_cq',
  '+12025550120': 'address_not_found',
  '+12025550121': 'address_inaccessible',
  '+12025550122': 'unsupported_destination_type',
  '+12025550130': 'denied_at_gate',
  '+12025550131': 'credential_expired',
  '+12025550132': 'credential_not_valid_for_installation',
  '+12025550133': 'gate_closed',
  '+12025550134': 'fpcon_elevated',
  '+12025550135': 'escort_unavailable',
  '+12025550140': 'verification_failed',
  '+12025550141': 'age_verification_failed',
  '+12025550142': 'photography_prohibited_no_substitute',
  '+12025550150': 'package_damaged',
  '+12025550151': 'package_not_ready',
  '+12025550160': 'no_carrier_available',
  '+12025550161': 'outside_service_area',
  '+12025550162': 'quote_expired',
  '+12025550170': 'cancelled_by_merchant',
  '+12025550171': 'cancelled_by_recipient',
  '+12025550172': 'cancelled_by_carrier',
  '+12025550173': 'cancelled_by_service',
  '+12025550180': 'weather_or_road_closure',
  '+12025550190': 'reassigning',
  '+12025550191': 'dispatch_recovers',
  '+12025550192': 'skips_pickup_complete',
  '+12025550193': 'driver_paused',
}

/** Good E.164, and refused nevertheless. */
export const refusedPhone = '+12025550101'

/** Refusals by store reference. */
export const storeRefusals: Readonly<Record<string, KnownErrorCode>> = {
  [magicWords.stores.limited]: 'RATE_LIMIT_EXCEEDED',
  [magicWords.stores.broken]: 'INTERNAL_ERROR',
  [magicWords.stores.down]: 'SERVICE_UNAVAILABLE',
  [magicWords.stores.unsupported]: 'UNSUPPORTED_REQUIREMENT',
  [magicWords.stores.unprovided]: 'NO_ELIGIBLE_PROVIDERS',
}

export const slowStoreDelayMs = 3_000

/** Refusals by ZIP code. */
export const zipRefusals: Readonly<Record<string, KnownErrorCode>> = {
  '99951': 'INVALID_ADDRESS',
  '99956': 'UNSUPPORTED_DESTINATION',
  '99957': 'NO_ELIGIBLE_PROVIDERS',
  '99961': 'INVALID_TIME_CONSTRAINT',
}

/** A reason for no quote in the words of the specification's sample, and one that nobody has heard of. */
export const legacyNoQuoteReason = 'outside_service_area'
export const futureNoQuoteReason = 'MARKET_PAUSED'

export const storeNoQuoteReasons: Readonly<Record<string, string>> = {
  [`${magicWords.unquotedStore}COVERAGE`]: 'OUTSIDE_COVERAGE',
  [`${magicWords.unquotedStore}CAPACITY`]: 'NO_CAPACITY',
  [`${magicWords.unquotedStore}HOURS`]: 'OUTSIDE_HOURS',
  [`${magicWords.unquotedStore}REQ`]: 'REQUIREMENT_UNSUPPORTED',
  [`${magicWords.unquotedStore}LEGACY`]: legacyNoQuoteReason,
  [`${magicWords.unquotedStore}FUTURE`]: futureNoQuoteReason,
}

export const zipNoQuoteReasons: Readonly<Record<string, string>> = {
  '99952': 'OUTSIDE_COVERAGE',
  '99953': 'NO_CAPACITY',
  '99954': 'OUTSIDE_HOURS',
  '99955': 'REQUIREMENT_UNSUPPORTED',
  '99959': legacyNoQuoteReason,
  '99960': futureNoQuoteReason,
}

/** Reasons for no quote that mean for an order that nobody could ever serve it. */
export const neverServedReasons: ReadonlySet<string> = new Set([
  'OUTSIDE_COVERAGE',
  'REQUIREMENT_UNSUPPORTED',
  legacyNoQuoteReason,
])

/** Whether a ZIP code is one of the magic ones, which lie in no state. */
export function isMagicZip(zip: string): boolean {
  return zip >= magicWords.firstMagicZip && zip <= '99999'
}

/** Ways of a delivery that end well and yet test a client on the way. */
export const detours = {
  reassigning: 'one `reassigning` on the way to the store, then delivered by another driver',
  dispatch_recovers: '`dispatch_failed` until the first update, then delivered',
  skips_pickup_complete: '`pickup_complete` is not reported in time and inferred with the next milestone',
  driver_paused: 'a status `driver_paused`, which no version of the contract knows, on the way to the door',
} as const

type Detour = keyof typeof detours

/**
 * An outcome that a magic value can choose for a delivery, stored as its scripted outcome; `delivered` is not stored.
 */
export type ScriptedOutcome = KnownStatusReasonCode | Detour | 'delivered'

function isDetour(token: string): token is Detour {
  return Object.hasOwn(detours, token)
}

export function isOutcome(token: string): token is ScriptedOutcome {
  return token === 'delivered' || isDetour(token) || isKnownStatusReasonCode(token)
}

export const outcomes: readonly ScriptedOutcome[] = [
  'delivered',
  ...statusReasonCodes,
  ...(Object.keys(detours) as Detour[]),
]

/** The reason that a scriptedOutcome ends in; `undefined` if it ends well. */
export function reasonOfScriptedOutcome(scriptedOutcome: string | undefined): KnownStatusReasonCode | undefined {
  return scriptedOutcome !== undefined && isKnownStatusReasonCode(scriptedOutcome) ? scriptedOutcome : undefined
}
