import type { z } from 'zod'
import { isRequestField, requestFieldPaths, UsageError } from '../../contract/index.js'
import { JsonNumber } from '../../shared/json-number.js'
import { suggestions } from '../../shared/word-match.js'

/**
 * Throws `UsageError` for a path that is not in a request of this schema, or that has a field it does not define;
 * `noun` names the request: `an order`.
 */
export function checkField(
  schema: z.ZodType,
  { path, value }: { path: string; value: unknown },
  flag: string,
  noun = 'an order',
): void {
  const unknown = [path, ...pathsIn(value, path)].find((field) => !isRequestField(schema, field))
  if (unknown === undefined) return
  const known = requestFieldPaths(schema)
  const near = suggestions(unknown, known, 1)[0] ?? known.find((field) => isMeant(unknown, field))
  throw new UsageError(`${flag}: "${unknown.slice(0, 80)}" is not a field of ${noun}.`, {
    hint: near === undefined ? `The fields are ${topOf(known).join(', ')}.` : `Did you mean "${near}"?`,
  })
}

function pathsIn(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null || value instanceof JsonNumber) return []
  return Object.entries(value).flatMap(([name, member]) => [`${path}.${name}`, ...pathsIn(member, `${path}.${name}`)])
}

/** Whether the last name of the path is part of a field's name: `phone` suggests `dropoff.contactPhone`. */
function isMeant(typed: string, field: string): boolean {
  const [word = '', name = ''] = [typed, field].map((path) => path.split('.').at(-1)?.toLowerCase())
  return word.length > 2 && name.includes(word)
}

function topOf(paths: readonly string[]): string[] {
  return paths.filter((path) => !path.includes('.'))
}
