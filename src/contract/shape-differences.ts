import { isRecord } from '../shared/json.js'
import type { Drift } from './drift.js'
import { matchesShape, type Shape } from './shape.js'

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
