import { z } from 'zod'
import { DeliveryEvent, DriverEvent, InstallationEvent } from '../events.js'
import { limits } from '../limits.js'
import type { Operation } from '../operation.js'
import { type OperationName, operationRows } from '../operations.js'
import { headers } from '../wire-text.js'
import { typeDescription } from './descriptions/index.js'
import { parameterExample, requestExamples, responseExample, webhookExamples } from './examples/index.js'
import { errorExamples, json, operationObject, responseHeaders, sharedResponses } from './operation-object.js'
import { componentSchemas, type JsonSchema, nameOf, schemaOf } from './schemas.js'

const description = `\
Last-mile delivery: quotes, deliveries, tracking, installations, events and signed webhooks.

- **Requests** carry an API key as bearer token. A key of the sandbox never moves a real driver.
- **Amounts** are integer cents, weights are grams, and times are RFC 3339. Times of responses are in UTC.
- **Creating** needs an \`Idempotency-Key\`: the same key and body again get the first response, within 24 hours.
- **Errors** have a \`code\` to branch on. \`message\` is for people, and its wording can change.
- **New members and values** of statuses, codes and events can appear without notice: keep what you do not know.
- **Webhooks** are signed by the rules of Standard Webhooks, and sent up to eight times until they are accepted.`

const tags: Readonly<Record<string, string>> = {
  Platform: 'Health of the service and feature flags of the account',
  Quotes: 'Prices and estimated arrival times before a delivery is created',
  Deliveries: 'Create, read, update and cancel deliveries',
  Simulation: 'Advance sandbox deliveries through their lifecycle',
  Fleet: 'Drivers and dispatch teams',
  Installations: 'Military installations, their access rules and serviceability',
  Events: 'Events of the last 30 days, and the webhooks that carry them',
}

/** The sandbox that `dlv sandbox start` serves. */
const sandbox = { url: 'http://127.0.0.1:4010/delivery/v1', description: 'A sandbox on this machine' }

/**
 * The contract as an OpenAPI 3.1 document, generated from the table of operations. `serverUrl` is the base URL, which
 * ends in `/delivery/v1`.
 */
export function openApiDocument({ serverUrl }: { serverUrl?: string } = {}): JsonSchema {
  const paths: Record<string, Record<string, JsonSchema>> = {}
  for (const [name, row] of Object.entries(operationRows)) {
    const path = paths[row.path] ?? {}
    path[row.method.toLowerCase()] = operationObject(name, row)
    paths[row.path] = path
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Delivery Service API',
      version: '1.0.0',
      description,
      contact: { name: 'dlv', url: 'https://github.com/dlv-cli/dlv' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [serverUrl === undefined ? sandbox : { url: serverUrl }],
    tags: Object.entries(tags).map(([name, about]) => ({ name, description: about })),
    security: [{ apiKey: [] }],
    paths,
    webhooks: webhooks(),
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'The API key of the account' } },
      headers: responseHeaders(),
      responses: sharedResponses(),
      examples: errorExamples(),
      schemas: withExamples(componentSchemas()),
    },
  }
}

/** The schemas of whole bodies with the example of the body: some tools read examples only here. */
function withExamples(schemas: Record<string, JsonSchema>): Record<string, JsonSchema> {
  const examples: Record<string, object> = {}
  const note = (schema: z.ZodType | undefined, example: object | undefined): void => {
    const [body, whole] =
      schema instanceof z.ZodArray && Array.isArray(example)
        ? [schema.element as z.ZodType, example[0] as object]
        : [schema, example]
    const name = body === undefined ? undefined : nameOf(body)
    if (name !== undefined && whole !== undefined) examples[name] ??= whole
  }
  for (const [operation, row] of Object.entries(operationRows as Record<string, Operation>)) {
    note(row.body, requestExamples[operation as OperationName])
    for (const [status, schema] of Object.entries(row.responses)) note(schema, responseExample(operation, status))
  }
  note(DeliveryEvent, webhookExamples.deliveryEvent)
  note(DriverEvent, webhookExamples.driverEvent)
  note(InstallationEvent, webhookExamples.installationEvent)
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const example = examples[name]
      return [name, example === undefined ? schema : { ...schema, example }]
    }),
  )
}

/** The document's `webhooks`: what the service sends to the endpoints of the account. */
function webhooks(): JsonSchema {
  return {
    deliveryEvent: webhook('deliveryEvent', 'A delivery changed, or has new information', DeliveryEvent),
    driverEvent: webhook('driverEvent', 'A driver of an owned fleet changed', DriverEvent),
    installationEvent: webhook('installationEvent', 'The access policy of an installation changed', InstallationEvent),
  }
}

const rules =
  'Verify the signature over the raw body, answer within ' +
  `${limits.webhookResponseTimeoutSeconds} seconds, and handle each \`eventId\` only once: the same event can arrive again, and ` +
  'events can arrive in another order.'

function webhook(operationId: keyof typeof webhookExamples, summary: string, schema: z.ZodType): JsonSchema {
  const header = (name: string, description: string) => ({
    name,
    in: 'header',
    required: true,
    description,
    schema: { type: 'string' },
    ...parameterExample(operationId, name),
  })
  return {
    post: {
      operationId,
      summary,
      description: `${typeDescription(nameOf(schema) ?? '')} ${rules}`,
      tags: ['Events'],
      security: [],
      parameters: [
        header(headers.webhookId, 'Unique id of the event, equal to `eventId`'),
        header(headers.webhookTimestamp, 'Unix time at which the webhook was sent, in seconds'),
        header(headers.webhookSignature, 'Space-separated list of `v1,<base64>` entries'),
      ],
      requestBody: {
        required: true,
        content: { [json]: { schema: schemaOf(schema), example: webhookExamples[operationId] } },
      },
      responses: {
        '2XX': { description: `Accepted; must arrive within ${limits.webhookResponseTimeoutSeconds} seconds` },
        '4XX': { description: `Not accepted; sent again later, ${limits.webhookAttempts} attempts in total` },
      },
    },
  }
}
