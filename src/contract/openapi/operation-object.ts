import { z } from 'zod'
import { errorCodes, errorStatuses, type KnownErrorCode } from '../error-codes.js'
import { limits } from '../limits.js'
import { commonErrors, type Operation } from '../operation.js'
import type { OperationName } from '../operations.js'
import { headers } from '../wire-text.js'
import { descriptionOf, typeDescription } from './descriptions/index.js'
import { errorExample, parameterExample, requestExamples, responseExample } from './examples/index.js'
import { type JsonSchema, nameOf, schemaOf } from './schemas.js'

export function operationObject(operationId: string, row: Operation): JsonSchema {
  const parameters = [
    ...pathParameters(operationId, row),
    ...queryParameters(operationId, row),
    ...headerParameters(operationId, row),
  ]
  const needs = row.capability === undefined ? '' : ` Needs the capability \`${row.capability}\`.`
  return {
    operationId,
    summary: row.summary,
    description: `${row.description}${needs}`,
    tags: [row.tag],
    ...(row.authenticated === false ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(row.body === undefined ? {} : { requestBody: requestBody(operationId, row, row.body) }),
    responses: responses(operationId, row),
  }
}

function requestBody(operationId: string, row: Operation, body: z.ZodType): JsonSchema {
  const example = requestExamples[operationId as OperationName]
  return { required: row.bodyOptional !== true, content: { [json]: { schema: schemaOf(body), example } } }
}

function pathParameters(operationId: string, row: Operation): JsonSchema[] {
  return [...row.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: descriptionOf('Path', name),
    schema: { type: 'string', minLength: 1 },
    ...parameterExample(operationId, name),
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
    ...parameterExample(operationId, name),
  }))
}

function withoutOptional(field: z.ZodType): z.ZodType {
  return 'unwrap' in field && typeof field.unwrap === 'function' ? (field.unwrap() as z.ZodType) : field
}

function headerParameters(operationId: string, row: Operation): JsonSchema[] {
  if (row.idempotencyKey === undefined) return []
  return [
    {
      name: headers.idempotencyKey,
      in: 'header',
      required: row.idempotencyKey === 'required',
      description: descriptionOf('Header', `${operationId}.idempotencyKey`),
      schema: { type: 'string', minLength: 1, maxLength: limits.idempotencyKeyMaxLength },
      ...parameterExample(operationId, headers.idempotencyKey),
    },
  ]
}

export const json = 'application/json'

/** Errors that any operation can return: by status, the name of the response in the document and when it occurs. */
const shared: Readonly<Record<string, { name: string; when: string }>> = {
  401: { name: 'Unauthorized', when: 'The API key is missing, unknown or revoked.' },
  429: { name: 'RateLimited', when: 'Too many requests in this second. `Retry-After` says how long to wait.' },
  500: {
    name: 'InternalError',
    when: 'Something went wrong in the service. It is safe to try again with the same key.',
  },
  503: { name: 'ServiceUnavailable', when: 'The service is unavailable for a short time. Try again.' },
}

/** The meaning of each error status; the codes follow. */
const meanings: Readonly<Record<string, string>> = {
  400: 'The request is malformed',
  403: 'The account or the key may not do this',
  404: 'There is no such thing',
  409: 'It contradicts what happened before',
  422: 'The request is well formed, but cannot be carried out',
}

const everywhere = [
  headers.requestId,
  headers.rateLimit,
  headers.rateLimitPolicy,
  headers.legacyLimit,
  headers.legacyRemaining,
  headers.legacyReset,
]

/** The `responses` of an operation: its successes in full, and its errors with an example for each code. */
function responses(operationId: string, row: Operation): JsonSchema {
  const found: Record<string, JsonSchema> = {}
  for (const [status, schema] of Object.entries(row.responses)) {
    found[status] = {
      description: successDescription(row, status, schema as z.ZodType),
      headers: headerReferences([...everywhere, ...replayHeader(row, status)]),
      content: { [json]: { schema: schemaOf(schema as z.ZodType), example: responseExample(operationId, status) } },
    }
  }
  for (const [status, codes] of codesByStatus(row)) {
    const name = shared[status]?.name
    if (found[status] !== undefined) continue
    found[status] = name === undefined ? errorResponse(status, codes) : { $ref: `#/components/responses/${name}` }
  }
  return found
}

/** The document's `components.responses`. */
export function sharedResponses(): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(shared).map(([status, { name, when }]) => {
      const codes = commonErrors.filter((code) => (errorStatuses[code] as readonly number[]).includes(Number(status)))
      return [name, { ...errorResponse(Number(status), codes), description: when }]
    }),
  )
}

/** The document's `components.examples`: an error for each code. */
export function errorExamples(): Record<string, JsonSchema> {
  return Object.fromEntries(errorCodes.map((code) => [code, { summary: code, value: errorExample(code) }]))
}

function codesByStatus(row: Operation): Map<number, KnownErrorCode[]> {
  const codes: KnownErrorCode[] = [...row.errors, ...(row.authenticated === false ? [] : commonErrors)]
  if (row.body !== undefined && !codes.includes('VALIDATION_ERROR')) codes.push('VALIDATION_ERROR')
  if (row.authenticated !== false || row.errors.length > 0) codes.push('INTERNAL_ERROR')
  const byStatus = new Map<number, KnownErrorCode[]>()
  for (const code of new Set(codes)) {
    for (const status of errorStatuses[code]) byStatus.set(status, [...(byStatus.get(status) ?? []), code].sort())
  }
  return byStatus
}

function successDescription(row: Operation, status: string, schema: z.ZodType): string {
  if (status === '503') return 'The service is degraded.'
  if (row.idempotencyKey === 'required' && status === '200') return 'Replayed: the same key and body were sent before.'
  if (!(schema instanceof z.ZodArray)) return typeDescription(nameOf(schema) ?? '') ?? `${row.summary}.`
  return `A list, not a page. Each item: ${typeDescription(nameOf(schema.element as z.ZodType) ?? '')}`
}

function replayHeader(row: Operation, status: string): string[] {
  return row.idempotencyKey !== undefined && status === '200' ? [headers.idempotencyReplayed] : []
}

function errorResponse(status: number, codes: readonly KnownErrorCode[]): JsonSchema {
  const waits = status === 429 || status === 503 ? [headers.retryAfter] : []
  return {
    description: `${meanings[status]}: ${codes.map((code) => `\`${code}\``).join(', ')}.`,
    headers: headerReferences([...(status === 429 ? everywhere : [headers.requestId]), ...waits]),
    content: {
      [json]: {
        schema: { $ref: '#/components/schemas/ErrorBody' },
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  }
}

function headerReferences(names: readonly string[]): JsonSchema {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

/** The document's `components.headers`. */
export function responseHeaders(): JsonSchema {
  const text = (description: string, example: string) => ({ description, schema: { type: 'string' }, example })
  const number = (description: string, example: number) => ({ description, schema: { type: 'integer' }, example })
  return {
    [headers.requestId]: text('The id of the request, for support', 'req_01KJQN5G3B5D7F9H1K3N5Q7S9V'),
    [headers.rateLimit]: text('`default;r=<remaining>;t=<seconds to reset>`', 'default;r=19;t=1'),
    [headers.rateLimitPolicy]: text('`default;q=<quota>;w=<window seconds>`', 'default;q=20;w=1'),
    [headers.legacyLimit]: number('Requests allowed in a window', 20),
    [headers.legacyRemaining]: number('Requests left in the window', 19),
    [headers.legacyReset]: number('Unix time at which the window ends, in seconds', 1_772_463_781),
    [headers.retryAfter]: number('Seconds to wait before the next attempt', 1),
    [headers.idempotencyReplayed]: {
      description: '`true` on a replayed response',
      schema: { type: 'string', enum: ['true'] },
      example: 'true',
    },
  }
}
