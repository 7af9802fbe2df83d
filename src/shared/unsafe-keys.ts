import { tooDeep } from './dlv-error.js'
import { maxJsonDepth } from './json.js'

/** Member names that reach outside an object when it is merged into another. */
export const unsafeKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * A JSON value without members of these names, to any depth that JSON from outside may have.
 *
 * @throws UsageError if the value is nested deeper
 */
export function withoutUnsafeKeys(value: unknown): unknown {
  return copyWithout(value, 0)
}

function copyWithout(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth >= maxJsonDepth) throw tooDeep('The value')
  if (Array.isArray(value)) return value.map((element) => copyWithout(element, depth + 1))
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !unsafeKeys.has(name))
      .map(([name, member]) => [name, copyWithout(member, depth + 1)]),
  )
}
