import { UsageError } from '../../contract/index.js'
import { magicWords } from '../../contract/internal.js'
import { accountName, type NamedAccount, type Settings } from '../../profiles/index.js'
import { valueAt } from '../../render/view.js'
import { percentDecoded } from '../../shared/byte-codes.js'
import { isRecord } from '../../shared/json.js'

/** The part of an account that the guard reads. */
type Guarded = Pick<Settings, 'environment'> & NamedAccount

/** Rejects what must never reach production, before anything is sent. Throws `UsageError`. */
export function refuseOnProduction(account: Guarded, what: string): void {
  if (account.environment !== 'production') return
  throw new UsageError(`${what} works only on a sandbox; ${accountName(account)} is production.`, {
    hint: 'Choose another profile with -P; dlv profiles list shows them.',
  })
}

/** Rejects a body or a path with magic values: on production they would be real. */
export function refuseTestValuesOnProduction(settings: Guarded, body: unknown, path = ''): void {
  if (settings.environment !== 'production') return
  const found = testValues(body)[0] ?? pathTestValue(path)
  if (found !== undefined)
    refuseOnProduction(settings, `The test value ${JSON.stringify(found.value)} at ${found.path}`)
}

/** Rejects the header that forces a response of the sandbox: production would simply execute the request. */
export function refuseForceHeaderOnProduction(settings: Settings, headers: Readonly<Record<string, string>>): void {
  const forced = Object.keys(headers).find((name) => name.toLowerCase() === magicWords.forceHeader.toLowerCase())
  if (forced !== undefined) refuseOnProduction(settings, `The header ${forced}`)
}

/** Whether an update can raise the cost of a delivery: its tip, or anything about its package. */
export function mayRaisePrice(patch: unknown): boolean {
  return isRecord(patch) && ('tipAmountCents' in patch || 'package' in patch)
}

const { magicBeginnings: beginnings, missingIds } = magicWords

const isTestInstallation = beginsWith(beginnings.fixture, beginnings.installation)
const isTestId = beginsWith(beginnings.delivery, beginnings.driver, missingIds.delivery, missingIds.driver)

/** The places where the sandbox looks for magic values, and how it knows them. */
const places: readonly (readonly [path: string, isMagic: (text: string) => boolean])[] = [
  ['clientOrderReference', beginsWith(beginnings.reference)],
  ['idempotencyKey', beginsWith(beginnings.reusedKey, beginnings.conflictKey)],
  ['quoteId', isOneOf(magicWords.expiredQuoteId)],
  [
    'pickup.storeReference',
    (text) => text.startsWith(magicWords.unquotedStore) || Object.values<string>(magicWords.stores).includes(text),
  ],
  ['dropoff.contactPhone', beginsWith(beginnings.phone)],
  ['dropoff.installation.code', isTestInstallation],
  ['dispatch.teamReference', isOneOf(magicWords.unknownTeamReference)],
  ['metadata.sandbox_outcome', Boolean],
  ['metadata.sandbox_pace', Boolean],
  ['metadata.sandbox_hooks', Boolean],
  ['metadata.sandbox_create', Boolean],
  ['package.contains', (text) => text.split(' ').includes(magicWords.unsupportedCargo)],
]

function beginsWith(...starts: readonly string[]) {
  return (text: string) => starts.some((start) => text.startsWith(start))
}

function isOneOf(...values: readonly string[]) {
  return (text: string) => values.includes(text)
}

/** A magic value, and where it was found. */
interface TestValue {
  path: string
  value: string
}

/** The sandbox's magic values in an order, a quote request or a serviceability check. */
export function testValues(order: unknown): TestValue[] {
  const fields = places.flatMap(([path, isMagic]) => {
    const value = valueAt(order, path)
    const text = Array.isArray(value) ? value.join(' ') : value
    return typeof text === 'string' && isMagic(text) ? [{ path, value: text }] : []
  })
  return [...fields, ...addressTestValues(valueAt(order, 'dropoff.address'))]
}

/** The sandbox's magic value in a path, if it has one. The path may have a query and escapes. */
export function pathTestValue(path: string): TestValue | undefined {
  const [encoded = ''] = path.split('?')
  const parts = (percentDecoded(encoded) ?? encoded).split('/')
  const value = parts.find((part, at) =>
    parts[at - 1] === 'installations' ? isTestInstallation(part) : isTestId(part),
  )
  return value === undefined ? undefined : { path: 'the path', value }
}

/** ZIP codes that no place has, and a street that is on no map. */
function addressTestValues(address: unknown): TestValue[] {
  const path = 'dropoff.address'
  const line1 = typeof address === 'string' ? address : valueAt(address, 'line1')
  if (typeof line1 === 'string' && line1.trim().toLowerCase().startsWith(magicWords.unknownLine.toLowerCase()))
    return [{ path, value: line1 }]
  const zip = addressZip(address)
  return zip !== undefined && zip >= magicWords.firstMagicZip ? [{ path, value: zip }] : []
}

function addressZip(address: unknown): string | undefined {
  // Every command has this file: the last five digits do, without the reader of whole addresses.
  if (typeof address === 'string') return /\b(\d{5})(?:[- ]?\d{4})?-?\D*$/.exec(address)?.[1]
  const postalCode = valueAt(address, 'postalCode')
  return typeof postalCode === 'string' && /^\d{5}/.test(postalCode) ? postalCode.slice(0, 5) : undefined
}
