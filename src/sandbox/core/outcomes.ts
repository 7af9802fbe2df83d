import { isKnownStatusReasonCode, type KnownStatusReasonCode, statusReasonCodes } from '../../contract/index.js'

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
