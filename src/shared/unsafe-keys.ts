/** Member names that reach outside an object when it is merged into another. */
export const forbiddenNames: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** A JSON value without members of these names, to any depth. */
export function withoutForbidden(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutForbidden)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !forbiddenNames.has(name))
      .map(([name, member]) => [name, withoutForbidden(member)]),
  )
}
