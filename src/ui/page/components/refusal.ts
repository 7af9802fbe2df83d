import type { FormField } from '../../wire/deliveries.js'
import type { Failure } from '../../wire/session.js'

/** What a form says of a request that was refused: in words, and at its fields. */
export interface Refusal {
  text: string
  problems: Record<string, string>
}

/** What is said of no field of the form is added to the text. */
export function refusalOf({ message, fieldErrors = [] }: Failure, fields: readonly FormField[]): Refusal {
  const known = new Set(fields.map(({ path }) => path))
  const others = fieldErrors.filter(({ field }) => !known.has(field))
  return {
    text: [message, ...others.map(({ field, message: text = 'is not valid' }) => `${field} ${text}`)].join(' '),
    problems: Object.fromEntries(
      fieldErrors
        .filter(({ field }) => known.has(field))
        .map(({ field, message: text = 'is not valid' }) => [field, text]),
    ),
  }
}
