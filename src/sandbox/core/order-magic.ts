import {
  type DeliveryCreate,
  initialStatuses,
  isKnownErrorCode,
  isKnownStatusReasonCode,
  type KnownErrorCode,
  noQuoteReasons,
} from '../../contract/index.js'
import { type Force, type InstallationRow, type Pace, paces } from '../model.js'
import { closedGateInstallation } from './fixtures.js'
import {
  futureNoQuoteReason,
  isOutcome,
  legacyNoQuoteReason,
  magicBeginnings,
  phoneOutcomes,
  type ScriptedOutcome,
} from './magic-tables.js'
import { Refusal, refusalOf } from './refusal.js'
import { impossibleChecks } from './verification.js'
import { isWebhookFault, splitHooks } from './webhook-faults.js'

/** The behaviour that an order's metadata requests from the sandbox. */
export interface MagicMetadata {
  outcome?: ScriptedOutcome
  error?: KnownErrorCode
  pace?: Pace
  hooks?: string[]
  create?: (typeof initialStatuses)[number]
}

/** Reads `sandbox_outcome`, `sandbox_pace`, `sandbox_hooks` and `sandbox_create`; refuses a value that means nothing. */
export function readMagicMetadata(metadata: Readonly<Record<string, unknown>> | undefined): MagicMetadata {
  const magic: MagicMetadata = {}
  const outcome = metadataText(metadata, 'sandbox_outcome')
  if (outcome !== undefined) {
    if (isKnownErrorCode(outcome)) magic.error = outcome
    else if (isOutcome(outcome)) magic.outcome = outcome
    else throw misread('sandbox_outcome', 'is not an error code, a status reason or a detour')
  }
  const pace = metadataText(metadata, 'sandbox_pace')
  if (pace !== undefined) magic.pace = oneOf(paces, pace, 'sandbox_pace')
  const create = metadataText(metadata, 'sandbox_create')
  if (create !== undefined) magic.create = oneOf(initialStatuses, create, 'sandbox_create')
  const hooks = metadataText(metadata, 'sandbox_hooks')
  if (hooks !== undefined) magic.hooks = readHooks(hooks)
  return magic
}

/** The token of a reference such as `sbx-recipient_refused-8872`; the rest keeps references unique. */
function referenceToken(clientOrderReference: string | undefined): string | undefined {
  const { reference } = magicBeginnings
  if (!clientOrderReference?.startsWith(reference)) return undefined
  return /^([A-Za-z_]+)-/.exec(clientOrderReference.slice(reference.length))?.[1]
}

/** Throws the error that a reference or the metadata asks for. */
export function refuseForced(clientOrderReference: string | undefined, magic: MagicMetadata): void {
  const token = referenceToken(clientOrderReference)
  if (token !== undefined && isKnownErrorCode(token)) throw refusalOf(token)
  if (magic.error !== undefined) throw refusalOf(magic.error)
}

/** The reason for no quote that the header or the reference asks for. */
export function forcedNoQuoteReason(clientOrderReference: string | undefined, force: Force | undefined) {
  const token = force?.kind === 'noQuoteReason' || force?.kind === 'outcome' ? force.token : undefined
  const asked = token ?? referenceToken(clientOrderReference)
  const known: readonly string[] = [...noQuoteReasons, legacyNoQuoteReason, futureNoQuoteReason]
  return asked !== undefined && known.includes(asked) ? asked : undefined
}

/**
 * The outcome of the delivery when nobody intervenes: what the header, the metadata, the reference or the phone asks
 * for, in this order; otherwise what the installation leaves no other way to. `undefined` for a good end.
 */
export function scriptedOutcomeOf(
  order: DeliveryCreate,
  context: {
    magic: MagicMetadata
    force?: Force | undefined
    installation: InstallationRow | undefined
    isEnforced: boolean
  },
): string | undefined {
  const token = referenceToken(order.clientOrderReference) ?? ''
  const asked =
    (context.force?.kind === 'outcome' ? context.force.token : undefined) ??
    context.magic.outcome ??
    (isOutcome(token) ? token : undefined) ??
    phoneOutcomes[order.dropoff.contactPhone]
  if (asked !== undefined && asked !== 'delivered') return asked
  const isScheduled = order.timeWindows?.deliveryMode === 'scheduled'
  if (asked === undefined && context.installation?.code === closedGateInstallation && !isScheduled) return 'gate_closed'
  const [impossible] = context.isEnforced ? impossibleChecks(order, context.installation) : []
  if (impossible === undefined) return undefined
  return impossible === 'photo' ? 'photography_prohibited_no_substitute' : 'verification_failed'
}

/** Whether a scriptedOutcome means that nobody takes the order at first. */
export function failsDispatch(scriptedOutcome: string | undefined): boolean {
  return (
    scriptedOutcome === 'no_carrier_available' ||
    scriptedOutcome === 'outside_service_area' ||
    scriptedOutcome === 'dispatch_recovers'
  )
}

/** The reason that a failed dispatch is given. */
export function dispatchReason(scriptedOutcome: string | undefined) {
  return scriptedOutcome !== undefined && failsDispatch(scriptedOutcome) && isKnownStatusReasonCode(scriptedOutcome)
    ? scriptedOutcome
    : 'no_carrier_available'
}

function readHooks(text: string): string[] {
  const hooks = splitHooks(text)
  const unknown = hooks.find((hook) => !isWebhookFault(hook))
  if (unknown !== undefined) throw misread('sandbox_hooks', `names "${unknown}", which is not a webhook fault`)
  return hooks
}

function metadataText(metadata: Readonly<Record<string, unknown>> | undefined, name: string): string | undefined {
  if (metadata === undefined || !Object.hasOwn(metadata, name)) return undefined
  const value = metadata[name]
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value !== 'string') throw misread(name, 'must be a string')
  return value
}

function oneOf<const Word extends string>(words: readonly Word[], value: string, name: string): Word {
  const word = words.find((known) => known === value)
  if (word === undefined) throw misread(name, `must be one of ${words.join(', ')}`)
  return word
}

function misread(name: string, message: string): Refusal {
  const field = `metadata.${name}`
  return new Refusal('VALIDATION_ERROR', `${field} ${message}.`, {
    fieldErrors: [{ field, code: 'INVALID_VALUE', message }],
  })
}
