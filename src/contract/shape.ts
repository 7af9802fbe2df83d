import { isRecord } from '../shared/json.js'
import type { Drift } from './drift.js'

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

type Check = (value: unknown) => boolean

/**
 * Whether a JSON value certainly matches. `false` can also mean that the shape cannot decide: ask the schema, which also
 * knows the reason.
 */
export function matchesShape(shape: Shape, value: unknown): boolean {
  return checkOf(shape)(value)
}

const simpleChecks: Readonly<Record<Extract<Shape, string>, Check>> = {
  any: () => true,
  string: isString,
  'non-empty string': (value) => typeof value === 'string' && value !== '',
  number: Number.isFinite,
  integer: Number.isSafeInteger,
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  undecided: () => false,
}

/** A shape is looked into once: the answers of a bulk run or an export have one shape, thousands of times. */
const checks = new WeakMap<Exclude<Shape, string>, Check>()

function checkOf(shape: Shape): Check {
  if (typeof shape === 'string') return simpleChecks[shape]
  let check = checks.get(shape)
  if (check === undefined) {
    check = structureCheck(shape)
    checks.set(shape, check)
  }
  return check
}

function structureCheck(shape: Exclude<Shape, string>): Check {
  if ('known' in shape) return isString
  if ('values' in shape) return (value) => shape.values.includes(value as string)
  if ('anyOf' in shape) return anyCheck(shape.anyOf.map(checkOf))
  if ('list' in shape) return listCheck(checkOf(shape.list))
  if ('map' in shape) return mapCheck(checkOf(shape.map))
  return objectCheck(
    new Map(Object.entries(shape.fields).map(([name, field]) => [name, checkOf(field)])),
    shape.required,
  )
}

function isString(value: unknown): boolean {
  return typeof value === 'string'
}

// Loops by index: until code is optimised, iterators are most of what a response costs in memory.

function anyCheck(options: readonly Check[]): Check {
  return (value) => {
    for (let at = 0; at < options.length; at++) if (options[at]?.(value) === true) return true
    return false
  }
}

function listCheck(element: Check): Check {
  return (value) => {
    if (!Array.isArray(value)) return false
    for (let at = 0; at < value.length; at++) if (!element(value[at])) return false
    return true
  }
}

function mapCheck(member: Check): Check {
  return (value) => isRecord(value) && Object.keys(value).every((name) => member(value[name]))
}

function objectCheck(fields: ReadonlyMap<string, Check>, required: readonly string[]): Check {
  return (value) => {
    if (!isRecord(value)) return false
    for (let at = 0; at < required.length; at++) if (!Object.hasOwn(value, required[at] ?? '')) return false
    // A list of the names would be made for each object of each response.
    for (const name in value) if (fields.get(name)?.(value[name]) === false) return false
    return true
  }
}

/**
 * The differences of a value from its shape, one sentence per place: `deliveries[0].status is required`. Empty if it
 * matches.
 */
export function shapeIssues(shape: Shape, value: unknown, path = ''): string[] {
  if (matchesShape(shape, value)) return []
  const at = path === '' ? 'body' : path
  if (value === undefined) return [`${at} is required`]
  if (typeof shape === 'string') return [`${at} ${complaints[shape] ?? 'has an invalid format'}`]
  if ('known' in shape) return [`${at} ${complaints.string}`]
  if ('values' in shape) return [`${at} must be one of ${shape.values.join(', ')}`]
  if ('anyOf' in shape) return unionIssues(shape.anyOf, value, path, at)
  if ('list' in shape)
    return Array.isArray(value)
      ? value.flatMap((element, index) => shapeIssues(shape.list, element, `${path}[${index}]`))
      : [`${at} must be an array`]
  if (!isRecord(value)) return [`${at} must be an object`]
  if ('map' in shape)
    return Object.entries(value).flatMap(([name, member]) => shapeIssues(shape.map, member, below(path, name)))
  return Object.entries(shape.fields).flatMap(([name, field]) => {
    if (Object.hasOwn(value, name)) return shapeIssues(field, value[name], below(path, name))
    return shape.required.includes(name) ? [`${below(path, name)} is required`] : []
  })
}

/** Of several shapes the sender meant the one whose issue lies deeper. */
function unionIssues(options: readonly Shape[], value: unknown, path: string, at: string): string[] {
  const tried = options.filter((option) => option !== 'null').map((option) => shapeIssues(option, value, path))
  const deeper = tried.find((issues) => issues.some((issue) => !issue.startsWith(`${at} `)))
  return deeper ?? tried[0] ?? []
}

const complaints: Readonly<Partial<Record<Extract<Shape, string>, string>>> = {
  string: 'must be a string',
  'non-empty string': 'must be a string with at least one character',
  number: 'must be a number',
  integer: 'must be an integer',
  boolean: 'must be true or false',
  null: 'must be null',
}

/** Properties and values beyond a shape, as `findDrift` lists them for a schema. */
export function shapeDrift(shape: Shape, value: unknown, path = ''): Drift[] {
  if (value === null || value === undefined || typeof shape === 'string') return []
  if ('known' in shape)
    return typeof value !== 'string' || shape.known.includes(value) ? [] : [{ path, kind: 'unknown value', value }]
  if ('anyOf' in shape) {
    const fitting = shape.anyOf.find((option) => matchesShape(option, value))
    return fitting === undefined ? [] : shapeDrift(fitting, value, path)
  }
  if ('list' in shape)
    return Array.isArray(value)
      ? value.flatMap((element, index) => shapeDrift(shape.list, element, `${path}[${index}]`))
      : []
  if (!('fields' in shape) || !isRecord(value)) return []
  return Object.entries(value).flatMap(([name, member]): Drift[] => {
    const field = Object.hasOwn(shape.fields, name) ? shape.fields[name] : undefined
    const at = below(path, name)
    return field === undefined ? [{ path: at, kind: 'unknown property' }] : shapeDrift(field, member, at)
  })
}

function below(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}
