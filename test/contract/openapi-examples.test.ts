import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { errorCodes } from '../../src/contract/index.js'
import { openApiDocument } from '../../src/contract/openapi/index.js'
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
formats.default(validator)
validator.addSchema({ $id: 'openapi', components: document.components, $defs: {} }).addVocabulary(['components'])

/** What is wrong with a value by a schema of the document; nothing if it is right. */
function problems(schema: object, value: unknown): string[] {
  const whole = JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"openapi#/components')) as object
  const validate: ValidateFunction = validator.compile(whole)
  return validate(value) ? [] : validator.errorsText(validate.errors, { separator: '\n' }).split('\n')
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
