/** Member names that reach outside an object when it is merged into another. */
export const unsafeKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** A JSON value without members of these names, to any depth. */
export function withoutUnsafeKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUnsafeKeys)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !unsafeKeys.has(name))
      .map(([name, member]) => [name, withoutUnsafeKeys(member)]),
  )
}
