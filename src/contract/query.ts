import { z } from 'zod'
import { issueText } from './issues.js'

/** The kinds of values that a query string carries in this contract. */
type QueryKind = 'boolean' | 'integer' | 'text' | 'texts'

/** One refused parameter. */
export interface QueryIssue {
  field: string
  code: string
  message: string
}

function kindOf(schema: z.ZodType): QueryKind {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return kindOf(schema.unwrap() as z.ZodType)
  if (schema instanceof z.ZodBoolean) return 'boolean'
  if (schema instanceof z.ZodNumber) return 'integer'
  if (schema instanceof z.ZodArray) return 'texts'
  return 'text'
}

/**
 * Reads query parameters by their schema. Unknown parameters are ignored; a parameter given twice is refused unless it
 * is a list; booleans are `true` or `false` and nothing else.
 */
export function parseQuery<Schema extends z.ZodObject>(
  schema: Schema,
  parameters: URLSearchParams,
): { query: z.output<Schema> } | { issues: QueryIssue[] } {
  const values: Record<string, unknown> = {}
  const issues: QueryIssue[] = []
  const refuse = (field: string, message: string) =>
    issues.push({ field: `query.${field}`, code: 'INVALID_FORMAT', message })
  for (const [name, field] of Object.entries(schema.shape)) {
    const given = parameters.getAll(name)
    const [first] = given
    if (first === undefined) continue
    const kind = kindOf(field as z.ZodType)
    if (kind === 'texts') values[name] = given
    else if (given.length > 1) refuse(name, 'must be given once')
    else if (kind === 'boolean') {
      if (first === 'true' || first === 'false') values[name] = first === 'true'
      else refuse(name, `must be true or false, not "${first}"`)
    } else if (kind === 'integer') {
      if (/^-?\d{1,9}$/.test(first)) values[name] = Number(first)
      else refuse(name, `must be a whole number, not "${first}"`)
    } else values[name] = first
  }
  const parsed = schema.safeParse(values)
  if (!parsed.success) {
    for (const issue of parsed.error.issues) {
      const field = issue.path.join('.')
      if (!issues.some((known) => known.field === `query.${field}`)) refuse(field, issueText(issue))
    }
  }
  return issues.length > 0 || !parsed.success ? { issues } : { query: parsed.data }
}
