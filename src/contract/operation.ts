import type { z } from 'zod'

import type { Capability } from './capabilities.js'
import type { KnownErrorCode } from './error-codes.js'

export type HttpMethod = 'GET' | 'POST' | 'PATCH'

/** Schemas by HTTP status of a successful answer, `503` of health included: its body is a health response. */
export type ResponseSchemas = Readonly<Partial<Record<200 | 201 | 503, z.ZodType>>>

/**
 * One row of the contract: everything that the client, the sandbox's routes, `dlv api` and the OpenAPI document know
 * about an operation. It describes; it holds no behaviour.
 */
export interface Operation {
  readonly method: HttpMethod
  /** Relative to the base address, with `{name}` for a path parameter. */
  readonly path: string
  readonly summary: string
  readonly tag: string
  /** `false` for the one operation that needs no key. Default `true`. */
  readonly authenticated?: boolean
  readonly idempotencyKey?: 'required' | 'optional'
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  /** `true` where the body may be left out. */
  readonly bodyOptional?: boolean
  readonly responses: ResponseSchemas
  /** Codes that the operation is known to answer with, beside those that any operation may give. */
  readonly errors: readonly KnownErrorCode[]
  /** The capability without which the account is refused. */
  readonly capability?: Capability
  readonly sandboxOnly?: boolean
  /** The property of the answer that holds the items of a page, where the operation is paged. */
  readonly pageOf?: string
}

export function operation<const Row extends Operation>(row: Row): Row {
  return row
}

/** Codes that every authenticated operation may answer with. */
export const commonErrors = [
  'UNAUTHORIZED',
  'RATE_LIMIT_EXCEEDED',
  'SERVICE_UNAVAILABLE',
  'INTERNAL_ERROR',
] as const satisfies readonly KnownErrorCode[]

/** `deliveryId` of `/deliveries/{deliveryId}/cancel`. */
export type PathParameter<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameter<Rest>
  : never

type Empty = Record<never, never>
type WithPath<Row extends Operation> = [PathParameter<Row['path']>] extends [never]
  ? Empty
  : { [Name in PathParameter<Row['path']>]: string }
type WithQuery<Row extends Operation> = Row['query'] extends z.ZodType ? { query?: z.input<Row['query']> } : Empty
type WithBody<Row extends Operation> = Row['body'] extends z.ZodType
  ? Row extends { bodyOptional: true }
    ? { body?: z.input<Row['body']> }
    : { body: z.input<Row['body']> }
  : Empty
type WithKey<Row extends Operation> = Row extends { idempotencyKey: 'required' }
  ? { idempotencyKey: string }
  : Row extends { idempotencyKey: 'optional' }
    ? { idempotencyKey?: string }
    : Empty

/** What a caller gives: path parameters by name, then `query`, `body` and `idempotencyKey` where the row has them. */
export type OperationInput<Row extends Operation> = WithPath<Row> & WithQuery<Row> & WithBody<Row> & WithKey<Row>

/** What a successful answer holds. */
export type OperationOutput<Row extends Operation> = {
  [Status in keyof Row['responses']]: Row['responses'][Status] extends z.ZodType
    ? z.output<Row['responses'][Status]>
    : never
}[keyof Row['responses']]
