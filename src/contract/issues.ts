import type { z } from 'zod'
import type { FieldError } from './errors.js'

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
}

/**
 * What a schema found wrong, field by field, in the words of the contract's `details.fieldErrors`. A missing field is told
 * from a wrong one only where the schema was asked with `reportInput`.
 */
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

/**
 * What a schema found wrong, in words that follow the name of the field: `must be one of asap, scheduled`. An issue
 * says that its field is missing only where it was found with `reportInput`.
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
      return 'is not of the form that is asked for'
  }
}

/** Whether the issue is that there is no value at all. */
function isMissing(issue: z.core.$ZodIssue): boolean {
  if (issue.code !== 'invalid_type' && issue.code !== 'invalid_value' && issue.code !== 'invalid_union') return false
  return issue.message.endsWith('received undefined') || ('input' in issue && issue.input === undefined)
}

/** A schema's kind of value in words: `a whole number`. */
function kindText(kind: string): string {
  return kinds[kind] ?? kind
}

function unitOf(origin: string): string {
  if (origin === 'string') return ' characters long'
  return origin === 'array' ? ' entries long' : ''
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
