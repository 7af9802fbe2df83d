import { z } from 'zod'
import { issueText } from './errors.js'

/** The kinds of values in the contract's query strings. */
type QueryKind = 'boolean' | 'integer' | 'string' | 'strings'

/** An invalid query parameter. */
interface QueryIssue {
  /** Its name after `query.`, such as `query.limit`. */
  field: string
  /** `INVALID_FORMAT`, as in the `details` of an error. */
  code: string
  /** The problem with its value. */
  message: string
}

function kindOf(schema: z.ZodType): QueryKind {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return kindOf(schema.unwrap() as z.ZodType)
  if (schema instanceof z.ZodBoolean) return 'boolean'
  if (schema instanceof z.ZodNumber) return 'integer'
  if (schema instanceof z.ZodArray) return 'strings'
  return 'string'
}

/** Query parameters as their schema gives them, or what is wrong with them. */
type ParsedQuery<Query> =
  | {
      /** Numbers, booleans and lists instead of texts. */
      query: Query
    }
  | {
      /** One for each parameter that is wrong. */
      issues: QueryIssue[]
    }

/**
 * Parses query parameters by their schema. Unknown parameters are ignored, a repeated parameter is an error unless it is
 * a list, and booleans are exactly `true` or `false`. A list may be written with brackets (`eventType[]`, `eventType[0]`), as
 * some clients of OpenAPI do: a filter that is ignored would answer with everything.
 */
export function parseQuery<Schema extends z.ZodObject>(
  schema: Schema,
  parameters: URLSearchParams,
): ParsedQuery<z.output<Schema>> {
  const values: Record<string, unknown> = {}
  const issues: QueryIssue[] = []
  const report = (field: string, message: string) =>
    issues.push({ field: `query.${field}`, code: 'INVALID_FORMAT', message })
  const inBrackets = [...parameters].filter(([name]) => /^[^[]+\[\d*\]$/.test(name))
  for (const [name, field] of Object.entries(schema.shape)) {
    const bracketed = inBrackets.filter(([one]) => one.startsWith(`${name}[`))
    const given = [...parameters.getAll(name), ...bracketed.map(([, value]) => value)]
    const [first] = given
    if (first === undefined) continue
    const kind = kindOf(field as z.ZodType)
    if (kind !== 'strings' && bracketed.length > 0) report(name, `is one value: write ${name}=…, without brackets`)
    else if (kind === 'strings') values[name] = given
    else if (given.length > 1) report(name, 'must be given only once')
    else if (kind === 'boolean') {
      if (first === 'true' || first === 'false') values[name] = first === 'true'
      else report(name, `must be true or false, got "${first}"`)
    } else if (kind === 'integer') {
      if (/^-?\d{1,9}$/.test(first)) values[name] = Number(first)
      else report(name, `must be an integer, got "${first}"`)
    } else values[name] = first
  }
  const parsed = schema.safeParse(values)
  if (!parsed.success) {
    for (const issue of parsed.error.issues) {
      const field = issue.path.join('.')
      if (!issues.some((known) => known.field === `query.${field}`)) report(field, issueText(issue))
    }
  }
  return issues.length > 0 || !parsed.success ? { issues } : { query: parsed.data }
}
