import { maxJsonDepth } from './json.js'
import { tooDeep } from './too-deep.js'

/** Additional levels, for what wraps a value of the maximum depth. */
const maxDepth = maxJsonDepth + 8

/**
 * JSON with object keys in code-unit order and no white space, so that two documents with the same meaning have the
 * same text. Takes only JSON values: what `JSON.parse` returns.
 *
 * @throws UsageError if the value is nested deeper than the limit
 */
export function canonicalJson(value: unknown): string {
  const parts: string[] = []
  write(value, parts, 0)
  return parts.join('')
}

/** Pieces that are joined once: appending to a string at each level would build a rope that has to be flattened. */
function write(value: unknown, parts: string[], depth: number): void {
  if (typeof value !== 'object' || value === null) {
    parts.push(JSON.stringify(value) ?? 'null')
    return
  }
  if (depth >= maxDepth) throw tooDeep('The value')
  let separator = ''
  if (Array.isArray(value)) {
    parts.push('[')
    for (const element of value) {
      parts.push(separator)
      write(element, parts, depth + 1)
      separator = ','
    }
    parts.push(']')
    return
  }
  const members = value as Readonly<Record<string, unknown>>
  parts.push('{')
  for (const name of sortedNames(members)) {
    const member = members[name]
    if (member === undefined) continue
    parts.push(separator, quotedName(name))
    write(member, parts, depth + 1)
    separator = ','
  }
  parts.push('}')
}

/** `sort` without a function compares by code units. */
function sortedNames(members: Readonly<Record<string, unknown>>): string[] {
  const names = Object.keys(members)
  for (let at = 1; at < names.length; at++) if ((names[at - 1] ?? '') > (names[at] ?? '')) return names.sort()
  return names
}

/** The same names occur in every document of a run. More names than this are not field names. */
const keptNames = 1_000
const quotedNames = new Map<string, string>()

function quotedName(name: string): string {
  const known = quotedNames.get(name)
  if (known !== undefined) return known
  const text = `${JSON.stringify(name)}:`
  if (quotedNames.size < keptNames) quotedNames.set(name, text)
  return text
}
