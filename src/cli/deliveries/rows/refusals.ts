import { codePointLength, type FieldError, limits } from '../../../contract/index.js'
import { valueAt } from '../../../render/view.js'
import { tipAboveMaximum, windowWithoutMode } from '../../../shared/order-guards.js'
import { fixedFields } from '../../../trade/updates.js'

/** The purpose of a body, and the limits of its sender. */
export interface OrderRules {
  purpose: 'order' | 'update'
  /** The highest tip; $100 if it is not given. */
  maxTipCents?: number | undefined
}

/** The parts of a body that the service would certainly reject, or that its sender certainly does not mean. */
export function refusalsOf(body: unknown, { purpose, maxTipCents }: OrderRules): FieldError[] {
  const tip = tipAboveMaximum(body, maxTipCents)
  return [
    ...lengthRefusal(body),
    ...(tip === undefined ? [] : [{ ...tip, message: `${tip.message}; --max-tip allows more` }]),
    ...(purpose === 'order' ? modeRefusal(body) : fixedRefusals(body)),
  ]
}

function lengthRefusal(body: unknown): FieldError[] {
  const instructions = valueAt(body, 'dropoff.instructions')
  const length = typeof instructions === 'string' ? codePointLength(instructions) : 0
  if (length <= limits.instructionsMaxLength) return []
  const message = `has ${length} characters; ${limits.instructionsMaxLength} is the most`
  return [{ field: 'dropoff.instructions', code: 'TOO_LONG', message }]
}

function modeRefusal(body: unknown): FieldError[] {
  const missing = windowWithoutMode(body)
  if (missing === undefined) return []
  return [{ ...missing, message: `${missing.message}; --set ${missing.field}=scheduled keeps the window` }]
}

function fixedRefusals(body: unknown): FieldError[] {
  return fixedFields
    .filter((field) => valueAt(body, field) !== undefined)
    .map((field) => ({ field, code: 'NOT_UPDATABLE', message: 'cannot be updated' }))
}
