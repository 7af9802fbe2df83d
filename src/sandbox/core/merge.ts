/** A JSON object. */
export type Members = Readonly<Record<string, unknown>>

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * One value with another laid over it: objects member by member to any depth, everything else replaced, `null` taking
 * a member away. Neither argument is changed, and no member can reach a prototype.
 */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isMembers(patch)) return patch
  const members = new Map(Object.entries(isMembers(target) ? target : {}))
  for (const [name, value] of Object.entries(patch)) {
    if (name === '__proto__' || value === undefined) continue
    if (value === null) members.delete(name)
    else members.set(name, mergePatch(members.get(name), value))
  }
  return Object.fromEntries(members)
}

/** The paths that a patch sets or clears, such as `dropoff.contactPhone`; an array counts as one value. */
export function changedPaths(patch: unknown, prefix = ''): string[] {
  if (!isMembers(patch)) return prefix === '' ? [] : [prefix]
  return Object.entries(patch).flatMap(([name, value]) =>
    value === undefined || name === '__proto__' ? [] : changedPaths(value, prefix === '' ? name : `${prefix}.${name}`),
  )
}

/** The paths that a patch asks to clear. */
export function clearedPaths(patch: unknown, prefix: readonly string[] = []): string[][] {
  if (patch === null) return [[...prefix]]
  if (!isMembers(patch)) return []
  return Object.entries(patch).flatMap(([name, value]) => clearedPaths(value, [...prefix, name]))
}
