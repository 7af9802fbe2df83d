import { z } from 'zod'
import type { Operation, OperationDescriptor } from './operation.js'
import type { Shape } from './shape.js'

/** The descriptor of a row. `npm run contract-types` writes those of all rows to `operations.generated.ts`. */
export function descriptorOf(row: Operation): OperationDescriptor {
  const { method, path, authenticated, idempotencyKey, repeat, pageOf } = row
  return {
    method,
    path,
    ...(authenticated === undefined ? {} : { authenticated }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(repeat === undefined ? {} : { repeat }),
    ...(pageOf === undefined ? {} : { pageOf }),
    responses: Object.fromEntries(Object.entries(row.responses).map(([status, schema]) => [status, shapeOf(schema)])),
  }
}

/** A schema as data; `undecided` if it checks more than a shape can express. */
export function shapeOf(schema: z.ZodType): Shape {
  if (schema instanceof z.ZodOptional) return shapeOf(schema.unwrap() as z.ZodType)
  if (schema instanceof z.ZodNullable) return anyOf([shapeOf(schema.unwrap() as z.ZodType), 'null'])
  if (schema instanceof z.ZodUnknown || schema instanceof z.ZodAny) return 'any'
  const known = knownValues(schema)
  if (known !== undefined) return { known }
  if (schema instanceof z.ZodUnion) return anyOf((schema.options as z.ZodType[]).map(shapeOf))
  if (schema instanceof z.ZodObject) return objectShape(schema)
  if (schema instanceof z.ZodString) return stringShape(schema)
  if (schema instanceof z.ZodNumber) return numberShape(schema)
  const checks = schema.def.checks ?? []
  if (checks.length > 0) return 'undecided'
  if (schema instanceof z.ZodBoolean) return 'boolean'
  if (schema instanceof z.ZodEnum)
    return schema.options.every((option) => typeof option === 'string')
      ? { values: schema.options as string[] }
      : 'undecided'
  if (schema instanceof z.ZodArray) return { list: shapeOf(schema.element as z.ZodType) }
  if (schema instanceof z.ZodRecord && schema.keyType instanceof z.ZodString)
    return { map: shapeOf(schema.valueType as z.ZodType) }
  return 'undecided'
}

/** The values of an enum that accepts any other string as well. */
function knownValues(schema: z.ZodType): string[] | undefined {
  if (!(schema instanceof z.ZodUnion)) return undefined
  const [known, rest, ...others] = schema.options as z.ZodType[]
  if (others.length > 0 || !(known instanceof z.ZodEnum) || rest === undefined) return undefined
  return shapeOf(rest) === 'string' ? (known.options as string[]) : undefined
}

/** The union of shapes; `string` absorbs lists of values. */
function anyOf(options: readonly Shape[]): Shape {
  const flat = options.flatMap((option) => (typeof option === 'object' && 'anyOf' in option ? option.anyOf : [option]))
  const kept = flat.filter((option) => !(flat.includes('string') && typeof option === 'object' && 'values' in option))
  const [only, ...others] = kept
  return only !== undefined && others.length === 0 ? only : { anyOf: kept }
}

function objectShape(schema: z.ZodObject): Shape {
  const isOpen = schema.def.catchall instanceof z.ZodUnknown
  if (!isOpen || (schema.def.checks ?? []).length > 0) return 'undecided'
  const fields = Object.entries(schema.shape as Record<string, z.ZodType>)
  return {
    fields: Object.fromEntries(fields.map(([name, field]) => [name, shapeOf(field)])),
    required: fields.filter(([, field]) => !(field instanceof z.ZodOptional)).map(([name]) => name),
  }
}

function stringShape(schema: z.ZodString): Shape {
  const isPlain = schema.format === null && schema.maxLength === null
  const checks = schema.def.checks ?? []
  if (isPlain && checks.length === 0) return 'string'
  return isPlain && checks.length === 1 && schema.minLength === 1 ? 'non-empty string' : 'undecided'
}

function numberShape(schema: z.ZodNumber): Shape {
  const checks = schema.def.checks ?? []
  if (checks.length === 0 && schema.format === null) return 'number'
  const isWhole = schema.format === 'safeint' && checks.length <= 1
  const isBounded =
    (schema.minValue ?? Number.MIN_SAFE_INTEGER) > Number.MIN_SAFE_INTEGER ||
    (schema.maxValue ?? Number.MAX_SAFE_INTEGER) < Number.MAX_SAFE_INTEGER
  return isWhole && !isBounded ? 'integer' : 'undecided'
}
