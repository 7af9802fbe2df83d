import { Ajv } from 'ajv'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { errorCodes } from '../../src/contract/index.js'
import { asVersion30, openApiDocument } from '../../src/contract/openapi/index.js'
import { createSandbox, type Sandbox } from '../../src/sandbox/index.js'

interface Content {
  schema: { $ref?: string; type?: string; items?: { $ref?: string } }
  example?: unknown
}
interface Created {
  deliveryId: string
}
interface Parameter {
  name: string
  in: string
  schema: object
  example?: unknown
}
interface Row {
  operationId: string
  parameters?: Parameter[]
  requestBody?: { content: Record<string, Content> }
  responses: Record<string, { content?: Record<string, Content> }>
}

const document = openApiDocument() as {
  paths: Record<string, Record<string, Row>>
  webhooks: Record<string, Record<string, Row>>
  components: { schemas: object; examples: Record<string, { value: unknown }> }
}
const validator = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true })
/** `example` is a keyword of OpenAPI that JSON Schema does not have. */
const keywords = ['components', 'example']
formats.default(validator)
validator.addSchema({ $id: 'openapi', components: document.components, $defs: {} }).addVocabulary(keywords)

/** What is wrong with a value by a schema of the document; nothing if it is right. */
function problems(schema: object, value: unknown, by: Ajv | Ajv2020 = validator): string[] {
  const whole = JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"openapi#/components')) as object
  const validate: ValidateFunction = by.compile(whole)
  return validate(value) ? [] : by.errorsText(validate.errors, { separator: '\n' }).split('\n')
}

const rows = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, row]) => ({ path, method: method.toUpperCase(), ...row })),
)
const received = Object.values(document.webhooks).flatMap((methods) => Object.values(methods))
const bodies = [...rows, ...received].flatMap(({ operationId, requestBody, responses }) =>
  [['request', requestBody] as const, ...Object.entries(responses)]
    .filter(([name, body]) => (name === 'request' || /^2\d\d$/.test(name)) && body !== undefined)
    .map(([name, body]) => [`${operationId} ${name}`, body?.content?.['application/json']] as const),
)

describe('The OpenAPI document', () => {
  it.each(bodies)('has a named schema and an example that it takes for %s', (_, content) => {
    const { schema, example } = content ?? { schema: {} }
    const { $ref, ...others } = schema.type === 'array' ? (schema.items ?? {}) : schema
    expect($ref).toMatch(/^#\/components\/schemas\/\w+$/)
    expect(others).toEqual({})
    expect(example).toBeDefined()
    expect(problems(schema, example)).toEqual([])
  })

  it('has a delivery under one name wherever one is returned', () => {
    const names = ['createDelivery 200', 'createDelivery 201', 'getDelivery 200', 'updateDelivery 200']
    const found = bodies.filter(([name]) => [...names, 'cancelDelivery 200'].includes(name))
    expect(found.map(([, content]) => content?.schema)).toEqual(
      found.map(() => ({ $ref: '#/components/schemas/Delivery' })),
    )
    expect(found).toHaveLength(5)
  })

  it('has an example for every error code, and for every parameter but a cursor', () => {
    const { ErrorBody } = document.components.schemas as { ErrorBody: object }
    expect(Object.keys(document.components.examples).sort()).toEqual([...errorCodes].sort())
    for (const [code, { value }] of Object.entries(document.components.examples)) {
      expect(problems(ErrorBody, value), code).toEqual([])
      expect(value).toMatchObject({ error: { code } })
    }
    const parameters = [...rows, ...received].flatMap(({ parameters = [] }) => parameters)
    expect(parameters.filter(({ example }) => example === undefined).map(({ name }) => name)).toEqual(
      rows.filter(({ parameters = [] }) => parameters.some(({ name }) => name === 'cursor')).map(() => 'cursor'),
    )
    for (const { name, schema, example } of parameters)
      if (example !== undefined) expect(problems(schema, example), name).toEqual([])
  })
})

describe('The same in OpenAPI 3.0', () => {
  const old = asVersion30(openApiDocument()) as typeof document
  const oldValidator = new Ajv({ allErrors: true, strict: true, strictTypes: false })
  formats.default(oldValidator)
  oldValidator.addSchema({ $id: 'openapi', components: old.components }).addVocabulary(keywords)
  const schemas = old.components.schemas as Record<string, JsonSchema & { properties: Record<string, JsonSchema> }>
  type JsonSchema = Record<string, unknown>

  it('is 3.0.3 without webhooks, null types, and neighbours of references', () => {
    expect(old).toMatchObject({ openapi: '3.0.3' })
    expect(old).not.toHaveProperty('webhooks')
    expect(old).not.toHaveProperty('info.license.identifier')
    const parts = [old as unknown]
    for (const part of parts) {
      if (typeof part !== 'object' || part === null) continue
      const { type, $ref } = part as JsonSchema
      expect(type === 'null' || Array.isArray(type), JSON.stringify(part)).toBe(false)
      if (typeof $ref === 'string') expect(Object.keys(part)).toEqual(['$ref'])
      parts.push(...Object.entries(part).flatMap(([name, value]) => (name === 'example' ? [] : [value])))
    }
    expect(parts.length).toBeGreaterThan(2_000)
  })

  it('takes the same examples, and null where the document does', () => {
    for (const [path, methods] of Object.entries(old.paths))
      for (const [method, { requestBody, responses }] of Object.entries(methods))
        for (const { content } of [requestBody, ...Object.values(responses)].filter((each) => each !== undefined)) {
          const { schema, example } = content?.['application/json'] ?? {}
          if (schema !== undefined && example !== undefined)
            expect(problems(schema, example, oldValidator), `${method} ${path}`).toEqual([])
        }
    const reference = { $ref: '#/components/schemas/Delivery' }
    const nothing = { deliveryId: 'del_1', status: 'accepted', driver: null, pricing: null, statusReasonCode: null }
    const other = { ...nothing, dropoff: { address: null, unit: null, contactPhone: null } }
    for (const value of [nothing, other]) {
      expect(problems(reference, value)).toEqual([])
      expect(problems(reference, value, oldValidator)).toEqual([])
    }
    for (const value of [
      { ...nothing, driver: 'none' },
      { ...nothing, status: null },
    ])
      expect(problems(reference, value, oldValidator)).not.toEqual([])
  })

  it('keeps the description of a property that is a reference, and the webhooks for tools that know x-webhooks', () => {
    expect(schemas.DeliveryCreate?.properties.package).toEqual({
      description: expect.any(String) as string,
      allOf: [{ $ref: '#/components/schemas/PackageInput' }],
    })
    expect(Object.keys((old as unknown as JsonSchema)['x-webhooks'] as object)).toEqual(Object.keys(document.webhooks))
  })
})

describe('Components of the OpenAPI document', () => {
  const schemas = document.components.schemas as Record<string, { example?: unknown }>

  it('have the examples of whole bodies, which some tools read only there', () => {
    const withExample = Object.entries(schemas).filter(([, { example }]) => example !== undefined)
    expect(withExample.map(([name]) => name)).toEqual(
      expect.arrayContaining([
        'Delivery',
        'DeliveryCreate',
        'DeliveryPage',
        'QuoteResponse',
        'DeliveryEvent',
        'DriverProfile',
        'Team',
      ]),
    )
    for (const [name, schema] of withExample) expect(problems(schema, schema.example), name).toEqual([])
  })

  it.each(['DeliveryCreate', 'DeliveryUpdate', 'QuoteCreate'])('describe the phone number of %s', (name) => {
    const { example } = schemas.DeliveryCreate as { example: { dropoff: object } }
    const withPhone = (contactPhone: string) => ({ ...example, dropoff: { ...example.dropoff, contactPhone } })
    const reference = { $ref: `#/components/schemas/${name}` }
    for (const phone of ['+19105550142', '+4930901820', '+6421555012'])
      expect(problems(reference, withPhone(phone))).toEqual([])
    for (const phone of ['9105550142', '(910) 555-0142', '+1 910 555 0142', '+0019105550142', '+1910', ''])
      expect(problems(reference, withPhone(phone)), phone).not.toEqual([])
  })
})

/** The names of an object, or of the first of a list. */
function membersOf(value: unknown): string[] {
  return Object.keys(Array.isArray(value) ? value[0] : (value ?? {}))
}

/** Of the day of the examples, where their gates and stores are. */
const noonMs = Date.parse('2026-03-02T17:00:00Z')

describe('A request with the examples of the OpenAPI document', () => {
  async function send(sandbox: Sandbox, row: (typeof rows)[number], deliveryId: string): Promise<Response> {
    const isFleet = row.path.startsWith('/drivers') || row.path.startsWith('/teams')
    const headers = new Headers({
      authorization: `Bearer ${isFleet ? 'dlvk_sbx_ownedfleet' : sandbox.apiKey}`,
      'content-type': 'application/json',
    })
    let path = row.path
    const query = new URLSearchParams()
    for (const { name, in: place, example } of row.parameters ?? []) {
      if (name === 'deliveryId' && place === 'path') path = path.replace('{deliveryId}', deliveryId)
      else if (place === 'path') path = path.replace(`{${name}}`, String(example))
      else if (place === 'header') headers.set(name, String(example))
      else if (example !== undefined) for (const value of [example].flat()) query.append(name, String(value))
    }
    const body = row.requestBody?.content['application/json']?.example
    return sandbox.fetch(
      new Request(`http://localhost/delivery/v1${path}?${query}`, {
        method: row.method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    )
  }

  it.each(rows)('succeeds for $operationId, with an answer that its schema takes', async (row) => {
    const sandbox = createSandbox({ rateLimit: 'off', deliverWebhooks: false, clock: { now: () => noonMs } })
    let deliveryId = ''
    if (row.path.includes('{deliveryId}')) {
      const [create] = rows.filter(({ operationId }) => operationId === 'createDelivery')
      if (create !== undefined) ({ deliveryId } = (await (await send(sandbox, create, '')).json()) as Created)
    }
    const response = await send(sandbox, row, deliveryId)
    const answer: unknown = await response.json()
    await sandbox.close()
    expect([200, 201], JSON.stringify(answer)).toContain(response.status)
    const { schema, example } = row.responses[response.status]?.content?.['application/json'] ?? {}
    expect(problems(schema ?? { not: {} }, answer)).toEqual([])
    // What the service returns is in the example too.
    expect(membersOf(example)).toEqual(expect.arrayContaining(membersOf(answer)))
  })
})
