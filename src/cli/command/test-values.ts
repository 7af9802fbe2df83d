import { parseAddress, postalCodeOf } from '../../contract/index.js'
import { valueAt } from '../../render/view.js'

/** The places where the sandbox looks for magic values, and their patterns. */
const patterns: readonly (readonly [path: string, pattern: RegExp])[] = [
  ['clientOrderReference', /^sbx-/],
  ['idempotencyKey', /^idem-(?:reused|conflict)-/],
  ['quoteId', /^qot_(?:expired|err_)/],
  ['pickup.storeReference', /^STORE-(?:SLOW|429|500|503|NOPROVIDER|UNKNOWN|NOQUOTE-|REQ-)/],
  ['dropoff.contactPhone', /^\+120255501\d\d$/],
  ['dropoff.installation.code', /^(?:ZZ|ERR_)/],
  ['dispatch.teamReference', /^team_(?:invalid|nope)$/],
  ['metadata.sandbox_outcome', /./],
  ['metadata.sandbox_pace', /./],
  ['metadata.sandbox_hooks', /./],
  ['metadata.sandbox_create', /./],
  ['package.contains', /\bsandbox_unsupported\b/],
]

/** The header that forces the response to a request. */
export const forceHeader = 'x-sandbox-force'

/** A magic value, and where it was found. */
export interface TestValue {
  path: string
  value: string
}

/** The sandbox's magic values in an order, a quote request or a serviceability check. */
export function testValues(order: unknown): TestValue[] {
  const fields = patterns.flatMap(([path, pattern]) => {
    const value = valueAt(order, path)
    const text = Array.isArray(value) ? value.join(' ') : value
    return typeof text === 'string' && pattern.test(text) ? [{ path, value: text }] : []
  })
  return [...fields, ...addressTestValues(valueAt(order, 'dropoff.address'))]
}

/** Segments of a path that the sandbox reads as magic values; production has nothing under such ids. */
const pathPattern =
  /\/(?:deliveries\/(?<delivery>del_(?:err_[^/]*|missing))|drivers\/(?<driver>drv_(?:err_[^/]*|missing))|installations\/(?<installation>(?:ZZ|ERR_)[^/]*))(?:\/|$)/

/** The sandbox's magic value in a path, if it has one. The path may have a query and escapes. */
export function pathTestValue(path: string): TestValue | undefined {
  const found = pathPattern.exec(decoded(path.split('?')[0] ?? ''))?.groups ?? {}
  const value = Object.values(found).find((segment) => segment !== undefined)
  return value === undefined ? undefined : { path: 'the path', value }
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** ZIP codes above 99950, the highest one in use, and a street that is on no map. */
function addressTestValues(address: unknown): TestValue[] {
  const path = 'dropoff.address'
  const line1 = typeof address === 'string' ? address : valueAt(address, 'line1')
  if (typeof line1 === 'string' && /^\s*1 Nowhere Sandbox Way\b/i.test(line1)) return [{ path, value: line1 }]
  const zip = zipOf(address)
  return zip !== undefined && zip > '99950' ? [{ path, value: zip }] : []
}

function zipOf(address: unknown): string | undefined {
  if (typeof address === 'string') return (parseAddress(address)?.postalCode ?? postalCodeOf(address))?.slice(0, 5)
  const postalCode = valueAt(address, 'postalCode')
  return typeof postalCode === 'string' && /^\d{5}/.test(postalCode) ? postalCode.slice(0, 5) : undefined
}
