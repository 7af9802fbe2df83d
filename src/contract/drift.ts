import { z } from 'zod'

/** Something in an answer that this version of the contract does not know. */
export interface Drift {
  path: string
  kind: 'unknown property' | 'unknown value'
  value?: unknown
}

/**
 * What a value holds beyond its schema: properties and enum values that are read tolerantly but are not in the
 * contract. The client reports it when asked to trace; the sandbox's tests demand that there is none.
 */
export function findDrift(schema: z.ZodType, value: unknown, path = ''): Drift[] {
  if (value === null || value === undefined) return []
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return findDrift(schema.unwrap() as z.ZodType, value, path)
  if (schema instanceof z.ZodArray) {
    if (!Array.isArray(value)) return []
    return value.flatMap((element, index) => findDrift(schema.element as z.ZodType, element, `${path}[${index}]`))
  }
  if (schema instanceof z.ZodObject) {
    if (typeof value !== 'object') return []
    const shape = schema.shape as Record<string, z.ZodType>
    return Object.entries(value).flatMap(([name, member]): Drift[] => {
      const at = path === '' ? name : `${path}.${name}`
      const field = Object.hasOwn(shape, name) ? shape[name] : undefined
      return field === undefined ? [{ path: at, kind: 'unknown property' }] : findDrift(field, member, at)
    })
  }
  if (schema instanceof z.ZodUnion) return driftOfUnion(schema, value, path)
  return []
}

function driftOfUnion(schema: z.ZodUnion, value: unknown, path: string): Drift[] {
  const options = schema.options as unknown as z.ZodType[]
  const known = options.find((option) => option instanceof z.ZodEnum)
  if (known !== undefined && typeof value === 'string') {
    return known.safeParse(value).success ? [] : [{ path, kind: 'unknown value', value }]
  }
  const fitting = options.find((option) => option.safeParse(value).success)
  return fitting === undefined ? [] : findDrift(fitting, value, path)
}
