import { codePointLength, type FieldError, limits } from '../../../contract/index.js'
import { valueAt } from '../../../render/view.js'

/** What the service would certainly reject in an order. */
export function refusalsOf(order: unknown): FieldError[] {
  const instructions = valueAt(order, 'dropoff.instructions')
  const length = typeof instructions === 'string' ? codePointLength(instructions) : 0
  if (length <= limits.instructionsMaxLength) return []
  const message = `has ${length} characters; ${limits.instructionsMaxLength} is the most`
  return [{ field: 'dropoff.instructions', code: 'TOO_LONG', message }]
}
