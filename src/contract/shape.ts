/**
 * The form of a response as plain data: a schema without the library that runs it, so that a command that reads one
 * response does not build every schema of the contract.
 */
export type Shape =
  | 'any'
  | 'string'
  | 'non-empty string'
  | 'number'
  | 'integer'
  | 'boolean'
  | 'null'
  /** Only the schema itself can decide. */
  | 'undecided'
  | {
      /** One of these strings. */
      readonly values: readonly string[]
    }
  | {
      /** Any string; what is not among these values is newer than this version. */
      readonly known: readonly string[]
    }
  | {
      /** An array of these. */
      readonly list: Shape
    }
  | {
      /** An object with these under any names. */
      readonly map: Shape
    }
  | {
      /** At least one of these. */
      readonly anyOf: readonly Shape[]
    }
  | {
      /** An object with these fields, and others that this version does not know. */
      readonly fields: Readonly<Record<string, Shape>>
      /** The fields that cannot be absent. */
      readonly required: readonly string[]
    }

/**
 * Whether a JSON value certainly matches. `false` can also mean that the shape cannot decide: ask the schema, which also
 * knows the reason.
 */
export function matchesShape(shape: Shape, value: unknown): boolean {
  switch (shape) {
    case 'any':
      return true
    case 'string':
      return typeof value === 'string'
    case 'non-empty string':
      return typeof value === 'string' && value !== ''
    case 'number':
      return Number.isFinite(value)
    case 'integer':
      return Number.isSafeInteger(value)
    case 'boolean':
      return typeof value === 'boolean'
    case 'null':
      return value === null
    case 'undecided':
      return false
    default:
      return matchesStructure(shape, value)
  }
}

function matchesStructure(shape: Exclude<Shape, string>, value: unknown): boolean {
  if ('known' in shape) return typeof value === 'string'
  if ('values' in shape) return shape.values.includes(value as string)
  if ('anyOf' in shape) return matchesAny(shape.anyOf, value)
  if ('list' in shape) return Array.isArray(value) && matchEach(shape.list, value)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const members = value as Readonly<Record<string, unknown>>
  if ('map' in shape) return Object.keys(members).every((name) => matchesShape(shape.map, members[name]))
  if (!hasAll(members, shape.required)) return false
  // A list of the names would be made for each object of each response.
  for (const name in members) {
    const field = Object.hasOwn(shape.fields, name) ? shape.fields[name] : undefined
    if (field !== undefined && !matchesShape(field, members[name])) return false
  }
  return true
}

// Loops by index: until code is optimised, iterators are most of what a response costs in memory.
function hasAll(members: object, names: readonly string[]): boolean {
  for (let at = 0; at < names.length; at++) if (!Object.hasOwn(members, names[at] ?? '')) return false
  return true
}

function matchesAny(options: readonly Shape[], value: unknown): boolean {
  for (let at = 0; at < options.length; at++) if (matchesShape(options[at] ?? 'undecided', value)) return true
  return false
}

function matchEach(shape: Shape, elements: readonly unknown[]): boolean {
  for (const element of elements) if (!matchesShape(shape, element)) return false
  return true
}
