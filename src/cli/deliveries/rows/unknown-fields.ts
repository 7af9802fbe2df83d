import { DeliveryCreate, type FieldError, requestFieldPaths, unknownRequestFields } from '../../../contract/index.js'
import { suggestions } from '../../../shared/suggestions.js'

/** The number of unknown fields that are named. */
const namedFields = 5

/** A misspelt field is sent as it is, and a service that ignores it delivers without it. */
export function unknownFieldWarnings(order: unknown): FieldError[] {
  const unknown = unknownRequestFields(DeliveryCreate, order)
  const known = unknown.length === 0 ? [] : requestFieldPaths(DeliveryCreate)
  return unknown.slice(0, namedFields).map((path) => {
    const near = nearField(path, known)
    const meant = near === undefined ? '' : `; did you mean "${near}"?`
    return { field: path.slice(0, 80), code: 'UNKNOWN_FIELD', message: `is not a field of an order${meant}` }
  })
}

/** The field beside it whose name is most similar. */
function nearField(path: string, known: readonly string[]): string | undefined {
  const parent = path.slice(0, path.lastIndexOf('.') + 1)
  const names = known.flatMap((field) => (field.startsWith(parent) ? [field.slice(parent.length)] : []))
  const [near] = suggestions(path.slice(parent.length), names, 1)
  return near === undefined ? undefined : parent + near
}
