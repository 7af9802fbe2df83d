import { z } from 'zod'
import { errorCodes } from './error-codes.js'
import { openEnum, openObject } from './primitives.js'
import type * as wire from './types.generated.js'

export const ErrorCode = openEnum(errorCodes)
/** An error code of the contract, or one of a newer service. */
export type ErrorCode = wire.ErrorCode

/** An invalid field: `field` is a JSON-path-style pointer such as `dropoff.contactPhone`. */
export const FieldError = openObject({ field: z.string(), code: z.string(), message: z.string().optional() })
export type FieldError = wire.FieldError

/** The body of every 4xx and 5xx response, except a degraded health response. */
export const ErrorBody = openObject({
  error: openObject({
    code: ErrorCode,
    message: z.string(),
    requestId: z.string().nullish(),
    details: openObject({ fieldErrors: z.array(FieldError).optional() }).nullish(),
  }),
})
export type ErrorBody = wire.ErrorBody

const kinds: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  null: 'null',
}

/**
 * Converts schema issues to the contract's `details.fieldErrors`. A missing field is told apart from an invalid one only
 * if the schema was parsed with `reportInput`.
 */
export function fieldErrorsOf(issues: readonly z.core.$ZodIssue[], prefix: readonly PropertyKey[] = []): FieldError[] {
  return issues.flatMap((issue) => {
    const path = [...prefix, ...issue.path]
    if (issue.code === 'invalid_union' && !isMissing(issue)) {
      // Of several alternatives, the sender meant the one whose issue lies deeper.
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

/**
 * Describes a schema issue in words that follow the name of the field: `must be one of asap, scheduled`. A missing field
 * is recognized only if the schema was parsed with `reportInput`.
 */
export function issueText(issue: z.core.$ZodIssue): string {
  if (isMissing(issue)) return 'is required'
  if (!/^(?:Invalid|Too|Unrecognized)\b/.test(issue.message)) return issue.message
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${kindText(issue.expected)}`
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`
    case 'too_big':
      return `must be ${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}${unitOf(issue.origin)}`
    case 'too_small':
      return `must be ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}${unitOf(issue.origin)}`
    case 'unrecognized_keys':
      return `must not have ${issue.keys.join(', ')}`
    default:
      return 'has an invalid format'
  }
}

/** Whether the issue is a missing value. */
function isMissing(issue: z.core.$ZodIssue): boolean {
  if (issue.code !== 'invalid_type' && issue.code !== 'invalid_value' && issue.code !== 'invalid_union') return false
  return issue.message.endsWith('received undefined') || ('input' in issue && issue.input === undefined)
}

/** A schema's type in words: `an integer`. */
function kindText(kind: string): string {
  return kinds[kind] ?? kind
}

function unitOf(origin: string): string {
  if (origin === 'string') return ' characters long'
  return origin === 'array' ? ' entries long' : ''
}

/** Formats a path as `package.contains[0]`; an empty path is `body`. */
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
