import type { z } from 'zod'

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
export function isMissing(issue: z.core.$ZodIssue): boolean {
  if (issue.code !== 'invalid_type' && issue.code !== 'invalid_value' && issue.code !== 'invalid_union') return false
  return issue.message.endsWith('received undefined') || ('input' in issue && issue.input === undefined)
}

/** A schema's kind of value in words: `a whole number`. */
export function kindText(kind: string): string {
  return kinds[kind] ?? kind
}

function unitOf(origin: string): string {
  if (origin === 'string') return ' characters long'
  return origin === 'array' ? ' entries long' : ''
}
