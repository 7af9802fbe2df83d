import { parseAddress, postalCodeOf } from '../../contract/index.js'
import { known } from '../../render/known-word.js'
import { valueAt } from '../../render/view.js'
import { magicWords } from '../../shared/magic-words.js'

const { magicBeginnings: beginnings, missingIds } = magicWords

/** The places where the sandbox looks for magic values, and how it knows them. */
const places: readonly (readonly [path: string, isMagic: (text: string) => boolean])[] = [
  ['clientOrderReference', beginsWith(beginnings.reference)],
  ['idempotencyKey', beginsWith(beginnings.reusedKey, beginnings.conflictKey)],
  ['quoteId', isOneOf(magicWords.expiredQuoteId)],
  [
    'pickup.storeReference',
    (text) =>
      text.startsWith(magicWords.unquotedStore) ||
      [magicWords.unknownStore, magicWords.slowStore, ...Object.keys(magicWords.refusingStores)].includes(text),
  ],
  ['dropoff.contactPhone', beginsWith(beginnings.phone)],
  ['dropoff.installation.code', beginsWith(beginnings.fixture, beginnings.installation)],
  ['dispatch.teamReference', isOneOf(magicWords.unknownTeamReference)],
  ['metadata.sandbox_outcome', isAny],
  ['metadata.sandbox_pace', isAny],
  ['metadata.sandbox_hooks', isAny],
  ['metadata.sandbox_create', isAny],
  ['package.contains', (text) => text.split(' ').includes(magicWords.unsupportedCargo)],
]

function beginsWith(...starts: readonly string[]) {
  return (text: string) => starts.some((start) => text.startsWith(start))
}

function isOneOf(...values: readonly string[]) {
  return (text: string) => values.includes(text)
}

function isAny(text: string): boolean {
  return text !== ''
}

/** A magic value, and where it was found. */
export interface TestValue {
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

/** Segments of a path that the sandbox reads as magic values; production has nothing under such ids. */
const segments: Readonly<Record<string, (id: string) => boolean>> = {
  deliveries: (id) => id === missingIds.delivery || id.startsWith(beginnings.delivery),
  drivers: (id) => id === missingIds.driver || id.startsWith(beginnings.driver),
  installations: beginsWith(beginnings.fixture, beginnings.installation),
}

/** The sandbox's magic value in a path, if it has one. The path may have a query and escapes. */
export function pathTestValue(path: string): TestValue | undefined {
  const parts = decoded(path.split('?')[0] ?? '').split('/')
  const value = parts.find((part, at) => {
    const isMagic = known(segments, parts[at - 1] ?? '')
    return isMagic?.(part)
  })
  return value === undefined ? undefined : { path: 'the path', value }
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
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
