import type { z } from 'zod'
import { type FieldError, findDrift } from '../../contract/index.js'
import { Refusal } from '../core/refusal.js'

/** What is wrong with a body, field by field, in the words of the contract's `details.fieldErrors`. */
export function fieldErrorsOf(issues: readonly z.core.$ZodIssue[], prefix: readonly PropertyKey[] = []): FieldError[] {
  return issues.flatMap((issue) => {
    const path = [...prefix, ...issue.path]
    if (issue.code === 'invalid_union') {
      // Of several forms, the one that the sender has tried is the one whose complaint lies deeper.
      const tried = issue.errors.find((errors) => errors.some((inner) => inner.path.length > 0))
      if (tried !== undefined) return fieldErrorsOf(tried, path)
      const forms = issue.errors.flatMap(([first]) => (first?.code === 'invalid_type' ? [nameOf(first.expected)] : []))
      if (forms.length === issue.errors.length)
        return [{ field: pointer(path), code: 'INVALID_TYPE', message: `must be ${forms.join(' or ')}` }]
      return fieldErrorsOf(issue.errors[0] ?? [], path)
    }
    const code = codeOf(issue)
    return [{ field: pointer(path), code, message: code === 'REQUIRED' ? 'is required' : messageOf(issue) }]
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
  switch (issue.code) {
    case 'invalid_type':
      return issue.message.endsWith('received undefined') ? 'REQUIRED' : 'INVALID_TYPE'
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

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  null: 'null',
}

/** What the field must be: the schema's own words, or plain ones where it leaves them to the library. */
function messageOf(issue: z.core.$ZodIssue): string {
  if (!/^(?:Invalid|Too big|Too small)\b/.test(issue.message)) return issue.message
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${nameOf(issue.expected)}`
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`
    case 'too_big':
      return `must be ${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}${unitOf(issue.origin)}`
    case 'too_small':
      return `must be ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}${unitOf(issue.origin)}`
    default:
      return issue.message
  }
}

function nameOf(type: string): string {
  return typeNames[type] ?? type
}

function unitOf(origin: string): string {
  if (origin === 'string') return ' characters long'
  return origin === 'array' ? ' entries long' : ''
}
