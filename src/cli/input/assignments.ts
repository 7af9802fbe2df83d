import { UsageError, unsafeKeys, withoutUnsafeKeys } from '../../contract/index.js'
import { maxJsonDepth, readJsonText } from '../../shared/json.js'

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

/** Splits `path=value`. A value that parses as JSON is JSON, any other is a string. */
export function parseAssignment(text: string): { path: string; value: unknown } {
  const at = text.indexOf('=')
  if (at < 1)
    throw new UsageError(
      `--set expects path=value, such as dropoff.instructions="Ring twice", got "${text.slice(0, 80)}".`,
    )
  const path = text.slice(0, at).trim()
  return { path, value: jsonOrText(text.slice(at + 1), `--set: the value of ${path}`) }
}

function jsonOrText(text: string, what: string): unknown {
  const json = readJsonText(text)
  if ('value' in json) return withoutUnsafeKeys(json.value)
  // Such a value is meant as JSON: as a text it would be another one.
  if (json.fault === 'depth') throw new UsageError(`${what} ${json.message}.`)
  return text
}

/**
 * A copy of the object with the value at the path. Missing objects are created; array elements are addressed by index.
 */
export function withValue(object: unknown, path: string, value: unknown, flag = '--set'): Record<string, unknown> {
  const copy = structuredClone(object) as Record<string, unknown>
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

/** A copy of the object with every `path=value` set, in order. Throws `UsageError`. */
export function withAssignments(object: object, texts: readonly string[]): Record<string, unknown> {
  return texts
    .map((text) => parseAssignment(text))
    .reduce<Record<string, unknown>>((made, { path, value }) => withValue(made, path, value), { ...object })
}
