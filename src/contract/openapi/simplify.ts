export type JsonSchema = Record<string, unknown>

/**
 * The same schema as people and generators read it best: null as a second type, one list of alternatives instead of
 * nested ones, no regular expression for what a format says, and nothing that is so anyway.
 */
export function simplified(schema: JsonSchema): JsonSchema {
  const { additionalProperties, propertyNames, pattern, properties, items, anyOf, ...rest } = schema
  const whole: JsonSchema = {
    ...rest,
    ...(pattern === undefined || rest.format === 'date-time' ? {} : { pattern }),
    ...(items === undefined ? {} : { items: simplified(items as JsonSchema) }),
    ...(properties === undefined ? {} : { properties: simplifiedProperties(properties as JsonSchema) }),
    // Every object may have more members than are named.
    ...(properties === undefined && additionalProperties !== undefined ? { additionalProperties: true } : {}),
  }
  if (!Array.isArray(anyOf)) return whole
  const options = (anyOf as JsonSchema[]).map(simplified).flatMap(alternatives)
  const [only, ...others] = options.filter((option) => !isNull(option))
  const isNullable = options.some(isNull)
  if (only === undefined || others.length > 0) return { ...whole, anyOf: options }
  if (!isNullable) return { ...whole, ...only }
  if (typeof only.type !== 'string' || only.type === 'object') return { ...whole, anyOf: options }
  const values = only.enum as unknown[] | undefined
  return { ...whole, ...only, type: [only.type, 'null'], ...(values === undefined ? {} : { enum: [...values, null] }) }
}

function simplifiedProperties(properties: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, simplified(part as JsonSchema)]))
}

/** Inlines an option that is only a list of alternatives into the list around it. */
function alternatives(option: JsonSchema): JsonSchema[] {
  return Array.isArray(option.anyOf) && Object.keys(option).length === 1 ? (option.anyOf as JsonSchema[]) : [option]
}

function isNull(option: JsonSchema): boolean {
  return option.type === 'null'
}
