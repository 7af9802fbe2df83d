import { z } from 'zod'

/** Something in a response that this version of the contract does not define. */
export interface Drift {
  /** The place of the difference, such as `dropoff.door`. */
  path: string
  /** Whether the name or the value is unknown. */
  kind: 'unknown property' | 'unknown value'
  /** The unknown value. */
  value?: unknown
}

/**
 * Lists what a value has beyond its schema: properties and enum values that are accepted when read but are not in the
 * contract, unless it `ignores` the set of values. The client reports them in a trace; the sandbox's tests require that there are none.
 */
export function findDrift(
  schema: z.ZodType,
  value: unknown,
  path = '',
  ignores: (known: readonly string[]) => boolean = () => false,
): Drift[] {
  if (value === null || value === undefined) return []
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return findDrift(schema.unwrap() as z.ZodType, value, path, ignores)
  if (schema instanceof z.ZodArray) {
    if (!Array.isArray(value)) return []
    return value.flatMap((element, index) =>
      findDrift(schema.element as z.ZodType, element, `${path}[${index}]`, ignores),
    )
  }
  if (schema instanceof z.ZodObject) {
    if (typeof value !== 'object') return []
    const shape = schema.shape as Record<string, z.ZodType>
    return Object.entries(value).flatMap(([name, member]): Drift[] => {
      const at = path === '' ? name : `${path}.${name}`
      const field = Object.hasOwn(shape, name) ? shape[name] : undefined
      return field === undefined ? [{ path: at, kind: 'unknown property' }] : findDrift(field, member, at, ignores)
    })
  }
  if (schema instanceof z.ZodUnion) return driftOfUnion(schema, value, path, ignores)
  return []
}

function driftOfUnion(
  schema: z.ZodUnion,
  value: unknown,
  path: string,
  ignores: (known: readonly string[]) => boolean,
): Drift[] {
  const options = schema.options as unknown as z.ZodType[]
  const known = options.find((option) => option instanceof z.ZodEnum)
  if (known !== undefined && typeof value === 'string') {
    const values = known.options as readonly string[]
    return values.includes(value) || ignores(values) ? [] : [{ path, kind: 'unknown value', value }]
  }
  const fitting = options.find((option) => option.safeParse(value).success)
  return fitting === undefined ? [] : findDrift(fitting, value, path, ignores)
}
