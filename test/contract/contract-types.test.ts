import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { contractTypes } from '../../scripts/contract-types.js'
import { openApiDocument } from '../../src/contract/openapi/index.js'

describe('The generated types of the contract', () => {
  it('are current (npm run contract-types)', async () => {
    for (const [file, text] of Object.entries(await contractTypes())) expect(text).toBe(readFileSync(file, 'utf8'))
  })
})

interface Described {
  description?: string
  type?: string | string[]
  properties?: Record<string, Described>
  items?: Described
  anyOf?: Described[]
}

function undescribed(schema: Described, path: string): string[] {
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) => [
      ...(property.description === undefined ? [`${path}.${name}`] : []),
      ...undescribed(property, `${path}.${name}`),
    ]),
    ...[...(schema.items === undefined ? [] : [schema.items]), ...(schema.anyOf ?? [])].flatMap((part) =>
      undescribed(part, path),
    ),
  ]
}

/** Properties that can be null and whose description does not say when. */
function silentNulls(schema: Described, path: string): string[] {
  const parts = [...(schema.items === undefined ? [] : [schema.items]), ...(schema.anyOf ?? [])]
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
      const isNullable = [property, ...(property.anyOf ?? [])].some(({ type }) => [type].flat().includes('null'))
      const isSilent = isNullable && !/\bnull\b/i.test(property.description ?? '')
      return [...(isSilent ? [`${path}.${name}`] : []), ...silentNulls(property, `${path}.${name}`)]
    }),
    ...parts.flatMap((part) => silentNulls(part, path)),
  ]
}

describe('The OpenAPI document', () => {
  const document = openApiDocument() as unknown as {
    components: { schemas: Record<string, Described> }
    paths: Record<string, Record<string, { operationId: string; parameters?: (Described & { name: string })[] }>>
  }

  it('describes every type and every property', () => {
    const { schemas } = document.components
    expect(Object.keys(schemas).filter((name) => schemas[name]?.description === undefined)).toEqual([])
    expect(Object.entries(schemas).flatMap(([name, schema]) => undescribed(schema, name))).toEqual([])
  })

  it('says of every property of a response when it is null', () => {
    const { DeliveryUpdate, ...schemas } = document.components.schemas
    const told = Object.entries(schemas).filter(([name]) => !name.endsWith('Update'))
    expect(told.flatMap(([name, schema]) => silentNulls(schema, name))).toEqual([])
    expect(DeliveryUpdate?.description).toMatch(/null clears/)
  })

  it('describes every parameter', () => {
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path))
    const parameters = operations.flatMap(({ operationId, parameters = [] }) =>
      parameters.map((parameter) => ({ ...parameter, name: `${operationId}.${parameter.name}` })),
    )
    expect(parameters.length).toBeGreaterThan(20)
    expect(parameters.filter(({ description = '' }) => description.length < 10).map(({ name }) => name)).toEqual([])
  })
})
