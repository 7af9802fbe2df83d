import type { z } from 'zod'
import { type FieldError, findDrift, isMissing, issueText, kindText } from '../../contract/index.js'
import { Refusal } from '../core/refusal.js'

/** What is wrong with a body, field by field, in the words of the contract's `details.fieldErrors`. */
export function fieldErrorsOf(issues: readonly z.core.$ZodIssue[], prefix: readonly PropertyKey[] = []): FieldError[] {
  return issues.flatMap((issue) => {
    const path = [...prefix, ...issue.path]
    if (issue.code === 'invalid_union' && !isMissing(issue)) {
      // Of several forms, the one that the sender has tried is the one whose complaint lies deeper.
      const tried = issue.errors.find((errors) => errors.some((inner) => inner.path.length > 0))
      if (tried !== undefined) return fieldErrorsOf(tried, path)
      const forms = issue.errors.flatMap(([first]) =>
        first?.code === 'invalid_type' ? [kindText(first.expected)] : [],
      )
      if (forms.length === issue.errors.length)
        return [{ field: pointer(path), code: 'INVALID_TYPE', message: `must be ${forms.join(' or ')}` }]
      return fieldErrorsOf(issue.errors[0] ?? [], path)
    }
    return [{ field: pointer(path), code: codeOf(issue), message: issueText(issue) }]
  })
}

/** Fields that the contract does not know, for the switch that refuses them. */
export function unknownFieldErrors(schema: z.ZodType, body: unknown): FieldError[] {
  return findDrift(schema, body)
    .filter((drift) => drift.kind === 'unknown property')
    .map(({ path }) => ({ field: path, code: 'UNKNOWN_FIELD', message: 'is not a field of this request' }))
}

/** The 400 of a request that does not fit its schema. */
export function schemaRefusal(fieldErrors: readonly FieldError[]): Refusal {
  const [first] = fieldErrors
  const where = first === undefined ? '' : `: ${first.field} ${first.message ?? ''}`
  return new Refusal('VALIDATION_ERROR', `The request does not fit the contract${where}.`, { status: 400, fieldErrors })
}

/** `package.contains[0]`; the body itself is `body`. */
function pointer(path: readonly PropertyKey[]): string {
  let text = ''
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`
    else text += text === '' ? String(step) : `.${String(step)}`
  }
  return text === '' ? 'body' : text
}

function codeOf(issue: z.core.$ZodIssue): string {
  if (isMissing(issue)) return 'REQUIRED'
  switch (issue.code) {
    case 'invalid_type':
      return 'INVALID_TYPE'
    case 'invalid_value':
      return 'INVALID_VALUE'
    case 'too_big':
      return issue.origin === 'string' || issue.origin === 'array' ? 'TOO_LONG' : 'TOO_BIG'
    case 'too_small':
      return issue.origin === 'string' || issue.origin === 'array' ? 'TOO_SHORT' : 'TOO_SMALL'
    default:
      return 'INVALID_FORMAT'
  }
}
