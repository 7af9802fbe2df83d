import { parseAddress, postalCodeOf } from '../../contract/index.js'
import { valueAt } from '../../render/view.js'
import { magicWords } from '../../shared/magic-words.js'
import { percentDecoded } from '../../shared/percent-decoded.js'

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
  const zip = zipOf(address)
  return zip !== undefined && zip >= magicWords.firstMagicZip ? [{ path, value: zip }] : []
}

function zipOf(address: unknown): string | undefined {
  if (typeof address === 'string') return (parseAddress(address)?.postalCode ?? postalCodeOf(address))?.slice(0, 5)
  const postalCode = valueAt(address, 'postalCode')
  return typeof postalCode === 'string' && /^\d{5}/.test(postalCode) ? postalCode.slice(0, 5) : undefined
}
