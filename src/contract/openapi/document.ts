import type { z } from 'zod'
import { errorStatuses, type KnownErrorCode } from '../error-codes.js'
import { DeliveryEvent, DriverEvent, InstallationEvent } from '../events.js'
import { headers } from '../headers.js'
import { limits } from '../limits.js'
import { commonErrors, type Operation } from '../operation.js'
import { operationRows } from '../operations.js'
import { descriptionOf } from './descriptions.js'
import { componentSchemas, type JsonSchema, schemaOf } from './schemas.js'

const json = 'application/json'

const tags: Readonly<Record<string, string>> = {
  Platform: 'Health of the service and feature flags of the account',
  Quotes: 'Prices and estimated arrival times before a delivery is created',
  Deliveries: 'Create, read, update and cancel deliveries',
  Simulation: 'Advance sandbox deliveries through their lifecycle',
  Fleet: 'Drivers and dispatch teams',
  Installations: 'Military installations, their access rules and serviceability',
  Events: 'Events of the last 30 days, and the webhooks that carry them',
}

/**
 * The contract as an OpenAPI 3.1 document, generated from the table of operations. `serverUrl` is the base URL, which
 * ends in `/delivery/v1`.
 */
export function openApiDocument({ serverUrl = '/delivery/v1' }: { serverUrl?: string } = {}): JsonSchema {
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
      description: 'Last-mile delivery: quotes, deliveries, tracking, installations, events and signed webhooks.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: serverUrl }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    security: [{ apiKey: [] }],
    paths,
    webhooks: {
      deliveryEvent: webhook('deliveryEvent', 'A delivery changed, or has new information', DeliveryEvent),
      driverEvent: webhook('driverEvent', 'A driver of an owned fleet changed', DriverEvent),
      installationEvent: webhook(
        'installationEvent',
        'The access policy of an installation changed',
        InstallationEvent,
      ),
    },
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'The API key of the account' } },
      headers: responseHeaders(),
      schemas: componentSchemas(),
    },
  }
}

function operationObject(operationId: string, row: Operation): JsonSchema {
  const parameters = [...pathParameters(row), ...queryParameters(operationId, row), ...headerParameters(row)]
  return {
    operationId,
    summary: row.summary,
    description: row.description,
    tags: [row.tag],
    ...(row.authenticated === false ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(row.body === undefined
      ? {}
      : { requestBody: { required: row.bodyOptional !== true, content: { [json]: { schema: schemaOf(row.body) } } } }),
    responses: responses(row),
  }
}

function pathParameters(row: Operation): JsonSchema[] {
  return [...row.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    description: descriptionOf('Path', name ?? ''),
    schema: { type: 'string', minLength: 1 },
  }))
}

function queryParameters(operationId: string, row: Operation): JsonSchema[] {
  const owner = `${operationId[0]?.toUpperCase()}${operationId.slice(1)}Query`
  return Object.entries(row.query?.shape ?? {}).map(([name, field]) => ({
    name,
    in: 'query',
    required: false,
    description: descriptionOf(owner, name),
    schema: schemaOf(withoutOptional(field as z.ZodType)),
  }))
}

function withoutOptional(field: z.ZodType): z.ZodType {
  return 'unwrap' in field && typeof field.unwrap === 'function' ? (field.unwrap() as z.ZodType) : field
}

function headerParameters(row: Operation): JsonSchema[] {
  if (row.idempotencyKey === undefined) return []
  return [
    {
      name: headers.idempotencyKey,
      in: 'header',
      required: row.idempotencyKey === 'required',
      description: `Kept for ${limits.idempotencyRetentionHours} hours; the same key and body get the original response`,
      schema: { type: 'string', minLength: 1, maxLength: limits.idempotencyKeyMaxLength },
    },
  ]
}

function responses(row: Operation): JsonSchema {
  const found: Record<string, JsonSchema> = {}
  for (const [status, schema] of Object.entries(row.responses)) {
    found[status] = success(successDescription(row, status), schema as z.ZodType, replayHeader(row, status))
  }
  const codes: KnownErrorCode[] = [...row.errors, ...(row.authenticated === false ? [] : commonErrors)]
  if (row.body !== undefined && !codes.includes('VALIDATION_ERROR')) codes.push('VALIDATION_ERROR')
  if (row.authenticated !== false || row.errors.length > 0) codes.push('INTERNAL_ERROR')
  const byStatus = new Map<number, Set<string>>()
  for (const code of codes) {
    for (const status of errorStatuses[code]) byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code))
  }
  for (const [status, known] of byStatus) {
    if (found[status] === undefined) found[status] = errorResponse(status, [...known])
  }
  return found
}

function successDescription(row: Operation, status: string): string {
  if (status === '503') return 'Degraded'
  return row.idempotencyKey === 'required' && status === '200'
    ? 'Replayed: the same key and body were sent before'
    : row.summary
}

function replayHeader(row: Operation, status: string): string[] {
  return row.idempotencyKey !== undefined && status === '200' ? [headers.idempotencyReplayed] : []
}

const everywhere = [
  headers.requestId,
  headers.rateLimit,
  headers.rateLimitPolicy,
  headers.legacyLimit,
  headers.legacyRemaining,
  headers.legacyReset,
]

function success(description: string, schema: z.ZodType, extraHeaders: string[] = []): JsonSchema {
  return { description, headers: headerReferences(extraHeaders), content: { [json]: { schema: schemaOf(schema) } } }
}

function errorResponse(status: number, codes: string[]): JsonSchema {
  return {
    description: codes
      .sort()
      .map((code) => `\`${code}\``)
      .join(', '),
    headers: headerReferences(status === 429 || status === 503 ? [headers.retryAfter] : []),
    content: { [json]: { schema: { $ref: '#/components/schemas/ErrorBody' } } },
  }
}

function headerReferences(extra: string[]): JsonSchema {
  return Object.fromEntries([...everywhere, ...extra].map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

function responseHeaders(): JsonSchema {
  const text = (description: string) => ({ description, schema: { type: 'string' } })
  const number = (description: string) => ({ description, schema: { type: 'integer' } })
  return {
    [headers.requestId]: text('Trace identifier'),
    [headers.rateLimit]: text('`default;r=<remaining>;t=<seconds to reset>`'),
    [headers.rateLimitPolicy]: text('`default;q=<quota>;w=<window seconds>`'),
    [headers.legacyLimit]: number('Requests allowed in a window'),
    [headers.legacyRemaining]: number('Requests left in the window'),
    [headers.legacyReset]: number('Unix time at which the window ends, in seconds'),
    [headers.retryAfter]: number('Seconds to wait before the next attempt'),
    [headers.idempotencyReplayed]: {
      description: '`true` on a replayed response',
      schema: { type: 'string', enum: ['true'] },
    },
  }
}

function webhook(operationId: string, summary: string, schema: z.ZodType): JsonSchema {
  const header = (name: string, description: string) => ({
    name,
    in: 'header',
    required: true,
    description,
    schema: { type: 'string' },
  })
  return {
    post: {
      operationId,
      summary,
      tags: ['Events'],
      security: [],
      parameters: [
        header(headers.webhookId, 'Unique id of the event, equal to `eventId`'),
        header(headers.webhookTimestamp, 'Unix time at which the webhook was sent, in seconds'),
        header(headers.webhookSignature, 'Space-separated list of `v1,<base64>` entries'),
      ],
      requestBody: { required: true, content: { [json]: { schema: schemaOf(schema) } } },
      responses: {
        '2XX': { description: `Accepted; must arrive within ${limits.webhookResponseTimeoutSeconds} seconds` },
        '4XX': { description: `Not accepted; sent again later, ${limits.webhookAttempts} attempts in total` },
      },
    },
  }
}
