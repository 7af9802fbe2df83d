import { operationRows } from '../operations.js'
import { operationObject } from './operation-object.js'
import { errorExamples, responseHeaders, sharedResponses } from './responses.js'
import { componentSchemas } from './schemas.js'
import type { JsonSchema } from './simplify.js'
import { webhooks } from './webhooks.js'

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
const sandbox = { url: 'http://127.0.0.1:4010/delivery/v1', description: 'The sandbox of `dlv sandbox start`' }

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
      schemas: componentSchemas(),
    },
  }
}
