import type { JsonSchema } from './schemas.js'

/**
 * The same document in OpenAPI 3.0.3, for tools that read no 3.1: without `webhooks`, which are kept as `x-webhooks`, and
 * null is no type but `nullable`.
 */
export function asVersion30(document: JsonSchema): JsonSchema {
  const { openapi, webhooks, info, ...rest } = document
  const { license, ...about } = info as JsonSchema
  const { identifier, ...named } = license as JsonSchema
  return {
    openapi: '3.0.3',
    info: { ...about, license: { ...named, url: `https://spdx.org/licenses/${identifier}.html` } },
    ...(converted(rest, rest) as JsonSchema),
    'x-webhooks': converted(webhooks, rest),
  }
}

/** Examples are values, not schemas. */
const values = new Set(['example', 'examples', 'default', 'enum'])
const schemaReference = '#/components/schemas/'

function converted(part: unknown, document: JsonSchema): unknown {
  if (Array.isArray(part)) return part.map((each) => converted(each, document))
  if (typeof part !== 'object' || part === null) return part
  const inner = (value: unknown) => converted(value, document)
  const all = Object.entries(part).map(([name, value]) => {
    if (values.has(name)) return [name, value]
    return [name, name === 'properties' ? mapped(value as JsonSchema, inner) : inner(value)]
  })
  return ofSchema(Object.fromEntries(all), document)
}

/** Properties, whose names are not keywords. */
function mapped(properties: JsonSchema, change: (value: unknown) => unknown): JsonSchema {
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, change(value)]))
}

function ofSchema({ $ref, type, anyOf, ...rest }: JsonSchema, document: JsonSchema): JsonSchema {
  // What stands beside a reference is ignored by version 3.0.
  if (typeof $ref === 'string') {
    const isAlone = Object.keys(rest).length === 0 || !$ref.startsWith(schemaReference)
    return isAlone ? { $ref } : { ...rest, allOf: [{ $ref }] }
  }
  if (Array.isArray(type)) {
    const [only] = type.filter((each) => each !== 'null')
    return { type: only, nullable: true, ...rest }
  }
  if (Array.isArray(anyOf)) return { ...rest, anyOf: anyOf.map((each) => nullOption(each, anyOf, document)) }
  return type === undefined ? rest : { type, ...rest }
}

/**
 * `nullable` needs a type beside it and adds null to that type alone, so that null is an alternative of its own, of the type
 * of the others.
 */
function nullOption(option: JsonSchema, options: readonly JsonSchema[], document: JsonSchema): JsonSchema {
  if (option.type !== 'null') return option
  const other = options.find(({ type }) => type !== 'null') ?? {}
  return { type: typeOf(other, document), nullable: true, enum: [null] }
}

function typeOf({ $ref, type, anyOf, allOf }: JsonSchema, document: JsonSchema): unknown {
  if (typeof $ref === 'string') {
    const { schemas } = document.components as { schemas: Record<string, JsonSchema> }
    return typeOf(schemas[$ref.slice(schemaReference.length)] ?? {}, document)
  }
  const [first] = [anyOf, allOf].flatMap((each) => (Array.isArray(each) ? (each as JsonSchema[]) : []))
  if (type === undefined && first !== undefined) return typeOf(first, document)
  return Array.isArray(type) ? type[0] : (type ?? 'object')
}
