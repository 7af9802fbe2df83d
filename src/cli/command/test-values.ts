import { valueAt } from '../../render/view.js'

/** Where the sandbox looks for values that force an outcome, and what they look like. */
const shapes: readonly (readonly [path: string, shape: RegExp])[] = [
  ['clientOrderReference', /^sbx-/],
  ['quoteId', /^qot_(?:expired|err_)/],
  ['pickup.storeReference', /^STORE-(?:SLOW|429|500|503|NOPROVIDER|UNKNOWN|NOQUOTE-|REQ-)/],
  ['dropoff.contactPhone', /^\+120255501\d\d$/],
  ['dropoff.installation.code', /^ZZ|^ERR_/],
  ['dropoff.address', /\b999(?:5[1-9]|6\d)\b|\b1 Nowhere Sandbox Way\b/i],
  ['dropoff.address.postalCode', /^999(?:5[1-9]|6\d)/],
  ['dropoff.address.line1', /^1 Nowhere Sandbox Way$/i],
  ['dispatch.teamReference', /^team_(?:invalid|nope)$/],
  ['metadata.sandbox_outcome', /./],
  ['metadata.sandbox_pace', /./],
  ['metadata.sandbox_hooks', /./],
  ['metadata.sandbox_create', /./],
  ['package.contains', /sandbox_unsupported/],
]

/** The sandbox's magic values in an order, with their paths. */
export function magicValues(order: unknown): { path: string; value: string }[] {
  return shapes.flatMap(([path, shape]) => {
    const value = valueAt(order, path)
    const text = Array.isArray(value) ? value.join(' ') : value
    return typeof text === 'string' && shape.test(text) ? [{ path, value: text }] : []
  })
}
