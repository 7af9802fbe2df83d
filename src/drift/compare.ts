import type { z } from 'zod'
import { areOnlySeen, findDrift } from '../contract/index.js'
import type { Finding } from './finding.js'

type Difference = Pick<Finding, 'kind' | 'path' | 'example'>

/** Everything in which a value differs from its schema, with places in lists as `[]`. */
export function compare(schema: z.ZodType, value: unknown): Difference[] {
  // A value of which the contract shows some differs from nothing it says.
  const beyond = findDrift(schema, value, '', areOnlySeen).map(
    ({ kind, path, value: found }): Difference => ({
      kind: kind === 'unknown property' ? 'newProperty' : 'unknownEnum',
      path: general(path),
      example: found ?? valueAt(value, path.split(/[.[\]]+/).filter(Boolean)),
    }),
  )
  const issues = schema.safeParse(value, { reportInput: true }).error?.issues ?? []
  return [...beyond, ...issues.flatMap((issue) => against(value, issue, []))]
}

function against(root: unknown, issue: z.core.$ZodIssue, above: readonly PropertyKey[]): Difference[] {
  const path = [...above, ...issue.path]
  if (issue.code === 'invalid_union') {
    // Of several alternatives, the one that fits furthest is the one that was meant.
    const tried = issue.errors.find((errors) => errors.some((inner) => inner.path.length > 0))
    if (tried !== undefined) return tried.flatMap((inner) => against(root, inner, path))
  }
  const value = valueAt(root, path)
  if (value === undefined)
    return [{ kind: 'missingRequired', path: general(pointer(path)), example: valueAt(root, path.slice(0, -1)) }]
  return [{ kind: 'wrongType', path: general(pointer(path)), example: value }]
}

function pointer(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, part) =>
      typeof part === 'number' ? `${text}[${part}]` : text === '' ? String(part) : `${text}.${String(part)}`,
    '',
  )
}

/** The same field in every element of a list is one place. */
function general(path: string): string {
  return path.replaceAll(/\[\d+\]/g, '[]')
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, name) => (typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined),
    root,
  )
}
