import { maxJsonDepth } from './json.js'
import { tooDeep } from './too-deep.js'

/** Additional levels, for what wraps a value of the maximum depth. */
const maxDepth = maxJsonDepth + 8

/**
 * JSON with object keys in code-unit order and no white space, so that two documents with the same meaning have the
 * same text. Takes what `JSON.stringify` takes: a `Date` is the text of its time.
 *
 * @throws UsageError if the value is nested deeper than the limit
 */
export function canonicalJson(value: unknown): string {
  const sorted = sortedCopy(value, 0)
  return sorted === unsortable ? written(value) : (JSON.stringify(sorted) ?? 'null')
}

/** In the place of a copy that would not keep the order or the members of the original. */
const unsortable = Symbol('unsortable')

/** A copy whose names are in order: writing it by `JSON.stringify` is the quickest way to the text. */
function sortedCopy(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return isJsonLeaf(value) ? value : unsortable
  if (depth >= maxDepth) throw tooDeep('The value')
  if (hasOwnJson(value)) return sortedCopy(value.toJSON(), depth + 1)
  if (Array.isArray(value)) {
    const elements: unknown[] = []
    for (const element of value) {
      const copy = sortedCopy(element, depth + 1)
      if (copy === unsortable) return unsortable
      elements.push(copy)
    }
    return elements
  }
  const members = value as Readonly<Record<string, unknown>>
  const order = orderOf(members)
  if (!order.isKept) return unsortable
  const copies: Record<string, unknown> = {}
  for (const name of order.sorted) {
    const copy = sortedCopy(members[name], depth + 1)
    if (copy === unsortable) return unsortable
    copies[name] = copy
  }
  return copies
}

/** Whether a value says itself what it is in JSON, as a `Date` does. */
function hasOwnJson(value: object): value is { toJSON(): unknown } {
  return 'toJSON' in value && typeof value.toJSON === 'function'
}

function isJsonLeaf(value: unknown): boolean {
  return typeof value !== 'function' && typeof value !== 'symbol'
}

/** The text of any value, piece by piece. */
function written(value: unknown): string {
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
  if (hasOwnJson(value)) {
    write(value.toJSON(), parts, depth + 1)
    return
  }
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
  for (const name of orderOf(members).sorted) {
    const member = members[name]
    if (member === undefined) continue
    parts.push(separator, quotedName(name))
    write(member, parts, depth + 1)
    separator = ','
  }
  parts.push('}')
}

/** The names of an object. */
interface NameOrder {
  names: readonly string[]
  sorted: readonly string[]
  /** Whether an object keeps this order: names that are numbers come first in any. */
  isKept: boolean
}

/** The documents of a run have the same names in the same order: they are sorted once. By the first name. */
const nameOrders = new Map<string, NameOrder>()

/** `sort` without a function compares by code units. */
function orderOf(members: Readonly<Record<string, unknown>>): NameOrder {
  const names = Object.keys(members)
  const [first = ''] = names
  const known = nameOrders.get(first)
  if (known !== undefined && isSame(names, known.names)) return known
  const isKept = names.every((name) => name !== '__proto__' && !/^\d/.test(name))
  const order = { names, sorted: [...names].sort(), isKept }
  if (known !== undefined || nameOrders.size < keptNames) nameOrders.set(first, order)
  return order
}

function isSame(names: readonly string[], others: readonly string[]): boolean {
  if (names.length !== others.length) return false
  for (let at = 0; at < names.length; at++) if (names[at] !== others[at]) return false
  return true
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
