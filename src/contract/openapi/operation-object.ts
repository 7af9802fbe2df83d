import type { z } from 'zod'
import { limits } from '../limits.js'
import type { Operation } from '../operation.js'
import type { OperationName } from '../operations.js'
import { headers } from '../wire-text.js'
import { descriptionOf } from './descriptions/index.js'
import { parameterExample, requestExamples } from './examples/index.js'
import { json, responses } from './responses.js'
import { schemaOf } from './schemas.js'
import type { JsonSchema } from './simplify.js'

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
