import { maxJsonDepth, tooDeep } from './json.js'
import { JsonNumber } from './json-number.js'

/** Names of members that would change an object's prototype when they are merged into it. */
export const unsafeKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * A JSON value without members of these names, at any allowed depth.
 *
 * @throws UsageError if the value is nested deeper
 */
export function withoutUnsafeKeys(value: unknown): unknown {
  return copyWithout(value, 0)
}

function copyWithout(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || value instanceof JsonNumber) return value
  if (depth >= maxJsonDepth) throw tooDeep('The value')
  if (Array.isArray(value)) return value.map((element) => copyWithout(element, depth + 1))
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !unsafeKeys.has(name))
      .map(([name, member]) => [name, copyWithout(member, depth + 1)]),
  )
}
