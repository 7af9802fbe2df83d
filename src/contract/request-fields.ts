import { z } from 'zod'

/** Whether a dotted path such as `package.items.0.name` leads to a value that a request of this schema may hold. */
export function isRequestField(schema: z.ZodType, path: string): boolean {
  return leadsOn(schema, path.split('.'))
}

function leadsOn(schema: z.ZodType, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return true
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return leadsOn(schema.unwrap() as z.ZodType, [name, ...rest])
  if (schema instanceof z.ZodUnion)
    return (schema.options as z.ZodType[]).some((option) => leadsOn(option, [name, ...rest]))
  if (schema instanceof z.ZodArray) return /^\d+$/.test(name) && leadsOn(schema.element as z.ZodType, rest)
  if (schema instanceof z.ZodRecord) return leadsOn(schema.valueType as z.ZodType, rest)
  if (schema instanceof z.ZodObject) {
    const shape = schema.shape as Record<string, z.ZodType>
    const field = Object.hasOwn(shape, name) ? shape[name] : undefined
    return field !== undefined && leadsOn(field, rest)
  }
  return schema instanceof z.ZodUnknown
}

/** The paths of all fields of a request: objects and what they hold, lists without their elements. */
export function requestFieldPaths(schema: z.ZodType, path = ''): string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return requestFieldPaths(schema.unwrap() as z.ZodType, path)
  if (schema instanceof z.ZodUnion)
    return (schema.options as z.ZodType[]).flatMap((option) => requestFieldPaths(option, path))
  if (!(schema instanceof z.ZodObject)) return []
  return Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(([name, field]) => {
    const at = path === '' ? name : `${path}.${name}`
    return [at, ...requestFieldPaths(field, at)]
  })
}
