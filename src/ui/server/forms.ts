import { z } from 'zod'
import { isRecord } from '../../shared/json.js'
import type { FormField } from '../wire/deliveries.js'

/** The fields of a request's schema, in its order, filled in from `values`. */
export function formOf(schema: z.ZodType, values: unknown): FormField[] {
  return fieldsOf(schema, '', true, values).map((field) => ({ ...field, value: textAt(values, field.path) }))
}

type Blank = Omit<FormField, 'value'>

function fieldsOf(schema: z.ZodType, path: string, required: boolean, values: unknown): Blank[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return fieldsOf(schema.unwrap() as z.ZodType, path, false, values)
  if (schema instanceof z.ZodUnion) {
    // An address: its parts rather than a single line, unless it is one.
    const options = schema.options as z.ZodType[]
    const parts = options.find((option) => option instanceof z.ZodObject)
    const line = typeof valueAt(values, path) === 'string' ? options.find(isText) : undefined
    return fieldsOf(line ?? parts ?? options[0] ?? z.string(), path, required, values)
  }
  if (schema instanceof z.ZodObject)
    return Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(([name, field]) =>
      fieldsOf(field, path === '' ? name : `${path}.${name}`, required, values),
    )
  return [{ path, required, ...leafOf(schema) }]
}

function leafOf(schema: z.ZodType): Pick<FormField, 'type' | 'maxLength' | 'choices'> {
  if (schema instanceof z.ZodEnum) return { type: 'choice', choices: schema.options.map(String) }
  if (schema instanceof z.ZodBoolean) return { type: 'boolean' }
  if (schema instanceof z.ZodNumber) return { type: 'integer' }
  if (schema instanceof z.ZodArray) return { type: isText(schema.element as z.ZodType) ? 'list' : 'json' }
  if (isText(schema)) {
    const { maxLength } = schema as z.ZodString
    return { type: 'text', ...(typeof maxLength === 'number' ? { maxLength } : {}) }
  }
  return { type: 'json' }
}

function isText(schema: z.ZodType): boolean {
  return schema instanceof z.ZodString
}

function valueAt(values: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((at, name) => (isRecord(at) ? at[name] : undefined), values)
}

function textAt(values: unknown, path: string): string {
  const value = valueAt(values, path)
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(', ')
  return JSON.stringify(value)
}
