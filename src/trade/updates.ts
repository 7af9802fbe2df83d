import { isActive, isPickedUp } from './statuses.js'

/** Fields that no update changes: the identity of an order, and the decisions taken with it. */
export const fixedFields = ['clientOrderReference', 'quoteId', 'dispatch'] as const

/** Fields that an update still changes once the package is on its way. */
export const fieldsAfterPickup = ['dropoff.instructions', 'dropoff.contactPhone', 'tipAmountCents'] as const

/** Whether a field, or a part of it, is one that no update changes. */
export function isFixedField(path: string): boolean {
  return fixedFields.some((field) => path === field || path.startsWith(`${field}.`))
}

/** Whether an update may change a field of a delivery in this status. */
export function mayUpdate(status: string, path: string): boolean {
  if (!isActive(status) || isFixedField(path)) return false
  return !isPickedUp(status) || (fieldsAfterPickup as readonly string[]).includes(path)
}
