import { z } from 'zod'
import { DeliveryCreate } from '../../contract/index.js'

/** Whether `null` may clear a field of an order: only optional scalars, and anything that metadata holds. */
export function isClearable(path: readonly string[]): boolean {
  let schema: z.ZodType = DeliveryCreate
  for (const [index, name] of path.entries()) {
    const holder = holderOf(schema)
    if (holder instanceof z.ZodRecord) return true
    const field = holder?.shape[name] as z.ZodType | undefined
    if (field === undefined) return true
    if (index === path.length - 1) return field instanceof z.ZodOptional && isScalar(field)
    schema = field
  }
  return false
}

/** The object or record that a schema describes, if it does; of a union the one that has members. */
function holderOf(schema: z.ZodType): z.ZodObject | z.ZodRecord | undefined {
  const inner = unwrapped(schema)
  if (inner instanceof z.ZodObject || inner instanceof z.ZodRecord) return inner
  if (!(inner instanceof z.ZodUnion)) return undefined
  return inner.options.map((option) => holderOf(option as z.ZodType)).find((holder) => holder !== undefined)
}

function isScalar(schema: z.ZodType): boolean {
  return holderOf(schema) === undefined && !(unwrapped(schema) instanceof z.ZodArray)
}

function unwrapped(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable
    ? unwrapped(schema.unwrap() as z.ZodType)
    : schema
}
