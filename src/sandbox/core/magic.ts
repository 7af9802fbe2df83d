import {
  errorCodes,
  errorStatuses,
  initialStatuses,
  isKnownErrorCode,
  noQuoteReasons,
  statusReasonRules,
} from '../../contract/index.js'
import { type Account, type Force, paces } from '../model.js'
import { accounts, revokedKey } from './accounts.js'
import { fixtureInstallations } from './fixtures.js'
import {
  detours,
  expiredQuoteId,
  forceHeader,
  futureNoQuoteReason,
  isOutcome,
  legacyNoQuoteReason,
  magicBeginnings,
  missingIds,
  outcomes,
  phoneOutcomes,
  refusedPhone,
  slowStore,
  slowStoreDelayMs,
  storeNoQuoteReasons,
  storeRefusals,
  unknownLine,
  unknownStore,
  unknownTeamReference,
  unsupportedCargo,
  zipNoQuoteReasons,
  zipRefusals,
} from './magic-tables.js'
import { Refusal } from './refusal.js'
import { contentFaults, sendingFaults } from './webhook-faults.js'

/**
 * The behaviour that an idempotency key requests by its prefix. `conflict` is played once per key; then the request
 * proceeds.
 */
export function magicIdempotency(key: string): 'reused' | 'conflict' | undefined {
  if (key.startsWith(magicBeginnings.reusedKey)) return 'reused'
  return key.startsWith(magicBeginnings.conflictKey) ? 'conflict' : undefined
}

/** The delay before a request is executed, in real milliseconds: orders from the slow store are delayed. */
export function holdMs(body: unknown): number {
  const pickup = typeof body === 'object' && body !== null && 'pickup' in body ? body.pickup : undefined
  const isObject = typeof pickup === 'object' && pickup !== null
  return isObject && 'storeReference' in pickup && pickup.storeReference === slowStore ? slowStoreDelayMs : 0
}

/** One magic value: where it is written, what is written, and what it brings about. */
interface MagicValue {
  /** `header`, `metadata`, `reference`, `key`, `phone`, `store`, `zip`, … */
  channel: string
  value: string
  effect: string
}

/** Every magic value of the sandbox, by channel, in the order in which a reader looks for them. */
export function magicCatalogue(): MagicValue[] {
  return [
    ...headerValues(),
    ...metadataValues(),
    ...referenceValues(),
    ...accounts.map((account) => magic('api key', account.apiKey, accountEffect(account))),
    magic('api key', revokedKey, '401 UNAUTHORIZED'),
    ...phoneValues(),
    ...storeValues(),
    ...zipValues(),
    magic('address line', unknownLine, 'INVALID_ADDRESS'),
    ...fixtureInstallations.map(({ code, name }) => magic('installation', code, name)),
    ...idValues(),
    ...Object.entries(contentFaults).map(([name, effect]) => magic('webhook fault', name, effect)),
    ...Object.entries(sendingFaults).map(([name, effect]) => magic('webhook fault', name, effect)),
  ]
}

function magic(channel: string, value: string, effect: string): MagicValue {
  return { channel, value, effect }
}

/** How an account differs from the default one. */
function accountEffect({ accountType, livemode, capabilities, maxRequestsPerSecond }: Account): string {
  const usual = accounts[0]
  const missing = Object.entries(usual.capabilities).flatMap(([name, has]) =>
    has === true && capabilities[name as keyof typeof capabilities] === false ? [name] : [],
  )
  const differences = [
    ...(accountType === usual.accountType ? [] : ['a fleet of its own: teams, drivers, the dispatch block']),
    ...(livemode ? ['live mode: no simulation'] : []),
    ...(missing.length === 0 ? [] : [`without ${missing.join(', ')}`]),
    ...(maxRequestsPerSecond === usual.maxRequestsPerSecond ? [] : [`${maxRequestsPerSecond} a second`]),
  ]
  return `${accountType}: ${differences.length === 0 ? 'the default account' : differences.join('; ')}`
}

function headerValues(): MagicValue[] {
  const error = (code: string) => magic('header', `${forceHeader}: ${code}`, `the error ${code}`)
  const outcome = (token: string) => magic('header', `${forceHeader}: ${token}`, `on create: ${effectOf(token)}`)
  const noQuote = (reason: string) => magic('header', `${forceHeader}: ${reason}`, `on quotes: none, ${reason}`)
  return [
    magic('header', `${forceHeader}: <token>; times=N`, 'only the first N calls with the same method, path and key'),
    magic('header', `${forceHeader}: <token>; retry_after=S`, 'with Retry-After: S'),
    magic('header', `${forceHeader}: <token>; delay_ms=M`, 'after M milliseconds'),
    magic('header', `${forceHeader}: VALIDATION_ERROR; status=422`, 'the status, where a code comes with several'),
    ...errorCodes.map(error),
    ...Object.entries(transportFaults).map(([token, effect]) => magic('header', `${forceHeader}: ${token}`, effect)),
    ...[...noQuoteReasons, legacyNoQuoteReason, futureNoQuoteReason].map(noQuote),
    ...outcomes.map(outcome),
  ]
}

function metadataValues(): MagicValue[] {
  return [
    magic('metadata', 'sandbox_outcome=<token>', 'an error code, a status reason, `delivered` or a detour'),
    ...paces.map((pace) => magic('metadata', `sandbox_pace=${pace}`, paceEffects[pace])),
    ...initialStatuses.map((status) => magic('metadata', `sandbox_create=${status}`, `created as ${status}`)),
    magic('metadata', 'sandbox_hooks=<fault>,<fault>', 'faults of its webhooks, one of the values under webhook fault'),
  ]
}

const paceEffects = {
  manual: 'nothing moves by itself but the dispatch before a window (the default)',
  instant: 'everything at once',
  fast: 'two seconds a step',
  robo: '30 seconds a step',
  real: 'as long as the way takes, with locations and estimates',
} as const

function referenceValues(): MagicValue[] {
  return [
    magic(
      'reference',
      `${magicBeginnings.reference}<TOKEN>-<anything>`,
      'the error, outcome or reason for no quote that the token names',
    ),
    magic('reference', `${magicBeginnings.reference}DUPLICATE_ORDER-1`, 'DUPLICATE_ORDER without an order before it'),
  ]
}

function phoneValues(): MagicValue[] {
  const chosen = Object.entries(phoneOutcomes).map(([phone, outcome]) => magic('phone', phone, effectOf(outcome)))
  return [...chosen, magic('phone', refusedPhone, 'INVALID_PHONE_NUMBER')]
}

function storeValues(): MagicValue[] {
  return [
    magic('store', unknownStore, 'INVALID_STORE_REFERENCE'),
    ...Object.entries(storeRefusals).map(([store, code]) => magic('store', store, code)),
    magic('store', slowStore, `held for ${slowStoreDelayMs / 1000} s before it is executed`),
    ...Object.entries(storeNoQuoteReasons).map(([store, reason]) => magic('store', store, `no quote: ${reason}`)),
  ]
}

function zipValues(): MagicValue[] {
  const refusals = Object.entries(zipRefusals).map(([zip, code]) => magic('zip', zip, code))
  const noQuotes = Object.entries(zipNoQuoteReasons).map(([zip, reason]) => magic('zip', zip, `no quote: ${reason}`))
  return [...refusals, ...noQuotes].sort((a, b) => a.value.localeCompare(b.value))
}

function idValues(): MagicValue[] {
  return [
    magic('path', `/deliveries/${magicBeginnings.delivery}<CODE>`, 'the error of that code'),
    magic('path', `/drivers/${magicBeginnings.driver}<CODE>`, 'the error of that code'),
    magic('path', `/installations/${magicBeginnings.installation}<CODE>`, 'the error of that code'),
    magic('path', `/deliveries/${missingIds.delivery}`, 'DELIVERY_NOT_FOUND'),
    magic('path', `/drivers/${missingIds.driver}`, 'DRIVER_NOT_FOUND'),
    magic('path', `/installations/${missingIds.installation}`, 'INSTALLATION_NOT_FOUND'),
    magic('quoteId', expiredQuoteId, 'QUOTE_EXPIRED'),
    magic('team', unknownTeamReference, 'INVALID_TEAM_REFERENCE, for an owned fleet'),
    magic('cargo', unsupportedCargo, 'UNSUPPORTED_REQUIREMENT'),
    magic('idempotency key', `${magicBeginnings.reusedKey}<anything>`, 'IDEMPOTENCY_KEY_REUSED'),
    magic('idempotency key', `${magicBeginnings.conflictKey}<anything>`, 'IDEMPOTENCY_CONFLICT once, then it proceeds'),
  ]
}

function effectOf(outcome: string): string {
  if (outcome === 'delivered') return 'delivered'
  if (outcome in detours) return detours[outcome as keyof typeof detours]
  const reason = statusReasonRules[outcome as keyof typeof statusReasonRules]
  return `${outcome}: ends in ${reason.outcome}, from ${reason.entry} on`
}

/** Faults of transport that the header can ask for. */
const transportFaults = {
  HANG: 'no answer at all, until the client gives up',
  RESET: 'the connection is dropped before the request is executed',
  GARBAGE: 'a 502 whose body is not JSON',
  TRUNCATE: 'the answer breaks off in the middle of its body',
  TIMEOUT_AFTER_COMMIT: 'the request is executed, then the connection is dropped',
} as const

const noQuoteTokens: readonly string[] = [...noQuoteReasons, legacyNoQuoteReason, futureNoQuoteReason]

/** If a word is both a reason for no quote and an outcome, the quote's own reasons are written in capitals. */
function forceKindOf(token: string): Force['kind'] | undefined {
  if (isKnownErrorCode(token)) return 'error'
  if (Object.hasOwn(transportFaults, token)) return 'fault'
  if (isOutcome(token)) return 'outcome'
  return noQuoteTokens.includes(token) ? 'noQuoteReason' : undefined
}

const parameterNames = {
  times: 'times',
  retry_after: 'retryAfterSeconds',
  delay_ms: 'delayMs',
  status: 'status',
} as const

/**
 * Reads `X-Sandbox-Force: <token>[; times=N][; retry_after=S][; delay_ms=M][; status=400|422]`. Throws
 * `VALIDATION_ERROR` 400 for what it does not understand: a test that forces nothing must not look as if it did.
 */
export function parseForce(header: string, refuse: (message: string) => Refusal = misread): Force {
  const [token = '', ...parameters] = header.split(';').map((part) => part.trim())
  const kind = forceKindOf(token)
  if (kind === undefined) throw refuse(`"${token}" is not an error code, a reason, an outcome or a fault`)
  const force: Force = { kind, token }
  for (const parameter of parameters.filter((text) => text !== '')) {
    const [, name = '', digits = ''] = /^(\w+)\s*=\s*(\d{1,9})$/.exec(parameter) ?? []
    if (!isParameterName(name)) throw refuse(`"${parameter}" is not a parameter such as times=2`)
    force[parameterNames[name]] = Number(digits)
  }
  if (force.status !== undefined && !comesWith(token, force.status))
    throw refuse(`${token} does not come with status ${force.status}`)
  return force
}

function isParameterName(name: string): name is keyof typeof parameterNames {
  return Object.hasOwn(parameterNames, name)
}

function comesWith(token: string, status: number): boolean {
  return isKnownErrorCode(token) && (errorStatuses[token] as readonly number[]).includes(status)
}

function misread(message: string): Refusal {
  return new Refusal('VALIDATION_ERROR', `The header ${forceHeader} cannot be read: ${message}.`, {
    fieldErrors: [{ field: `header.${forceHeader}`, code: 'INVALID_FORMAT', message }],
  })
}
