import type { z } from 'zod'
import { isRequestField, requestFieldPaths, UsageError } from '../../contract/index.js'
import { typedCargo } from '../../contract/internal.js'
import { isRecord, maxJsonDepth, readJsonText } from '../../shared/json.js'
import { JsonNumber, type NumberReading, numericFields, readingAt } from '../../shared/json-number.js'
import { unsafeKeys, withoutUnsafeKeys } from '../../shared/unsafe-keys.js'
import { suggestions } from '../../shared/word-match.js'

/**
 * Splits `dropoff.unit.room` or `package.items.0.name`. Throws `UsageError` for names that would change the object's
 * prototype.
 */
function pathNames(path: string, flag: string): string[] {
  const names = path.split('.')
  if (names.length > maxJsonDepth)
    throw new UsageError(`${flag}: a path of ${names.length} names is nested deeper than ${maxJsonDepth} levels.`)
  if (names.some((name) => name === ''))
    throw new UsageError(`${flag}: "${path}" is not a path such as dropoff.instructions.`)
  const reaching = names.find((name) => unsafeKeys.has(name))
  if (reaching !== undefined) throw new UsageError(`${flag}: "${reaching}" is not a field of an order.`)
  return names
}

/**
 * Splits `path=value`. A value that parses as JSON is JSON, any other is a string.
 *
 * @param numbers which numbers keep their text; by default none
 */
export function parseAssignment(text: string, numbers?: NumberReading): { path: string; value: unknown } {
  const at = text.indexOf('=')
  if (at < 1)
    throw new UsageError(
      `--set expects path=value, such as dropoff.instructions="Ring twice", got "${text.slice(0, 80)}".`,
    )
  const path = text.slice(0, at).trim()
  const names = path.split('.')
  const value = jsonOrText(
    text.slice(at + 1),
    `--set: the value of ${path}`,
    numbers === undefined ? undefined : readingAt(names),
  )
  const isPlain = value instanceof JsonNumber && !names.includes('metadata') && numericFields.has(names.at(-1) ?? '')
  if (path === 'package.contains') return { path, value: typedCargo(value) }
  return { path, value: isPlain ? value.valueOf() : value }
}

function jsonOrText(text: string, what: string, numbers: NumberReading | undefined): unknown {
  const json = readJsonText(text, numbers)
  if ('value' in json) return withoutUnsafeKeys(json.value)
  // Such a value is meant as JSON: as a text it would be another one.
  if (json.fault === 'depth') throw new UsageError(`${what} ${json.message}.`)
  if (/^\s*[[{]/.test(text))
    throw new UsageError(`${what} begins like JSON but ${json.message}.`, {
      hint: `A shell takes quotation marks away: put the whole in single quotes, such as --set 'metadata.tags=["a","b"]'. A text that begins with a bracket is JSON in quotes: --set 'metadata.note="[1] gate"'.`,
    })
  return text
}

/** Whether an order has no value at a place. */
export function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}

/**
 * A copy of the object with the value at the path. Missing objects are created; array elements are addressed by index.
 */
export function withValue(object: unknown, path: string, value: unknown, flag = '--set'): Record<string, unknown> {
  const copy = copyOf(object) as Record<string, unknown>
  const names = pathNames(path, flag)
  const last = names.pop() ?? ''
  let at: Record<string, unknown> = copy
  for (const name of names) {
    const next = Object.hasOwn(at, name) ? at[name] : undefined
    if (typeof next === 'object' && next !== null) at = next as Record<string, unknown>
    else {
      const made: Record<string, unknown> = {}
      at[name] = made
      at = made
    }
  }
  if (Array.isArray(at) && !/^\d{1,4}$/.test(last))
    throw new UsageError(`${flag}: "${path}" needs an index after an array.`)
  at[last] = value
  return copy
}

/** Numbers that keep their text are values as others are. */
function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf)
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copyOf(member)]))
}

/** A copy of the object with every `path=value` set, in order. Throws `UsageError`. */
export function withAssignments(
  object: object,
  texts: readonly string[],
  numbers?: NumberReading,
): Record<string, unknown> {
  return texts
    .map((text) => parseAssignment(text, numbers))
    .reduce<Record<string, unknown>>((made, { path, value }) => withValue(made, path, value), { ...object })
}

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
