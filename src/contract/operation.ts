import type { z } from 'zod'
import type { Capability } from './capabilities.js'
import type { KnownErrorCode } from './error-codes.js'
import type { Shape } from './shape.js'

/** The methods that the contract uses. */
export type HttpMethod = 'GET' | 'POST' | 'PATCH'

/** Schemas by HTTP status of a successful response. */
interface ResponseSchemas {
  /** The usual response. */
  readonly 200?: z.ZodType
  /** Something was created. */
  readonly 201?: z.ZodType
  /** Only health answers with it: its body is a health response. */
  readonly 503?: z.ZodType
}

/**
 * A row of the contract: everything that the client, the sandbox's routes, `dlv api` and the OpenAPI document know about
 * an operation. It has no behaviour.
 */
export interface Operation {
  /** In capitals, as it is sent. */
  readonly method: HttpMethod
  /** Relative to the base URL, with `{name}` for a path parameter. */
  readonly path: string
  /** An imperative phrase without a full stop. */
  readonly summary: string
  /** The effect, the failures, and advice for callers; in Markdown. */
  readonly description: string
  /** The group of operations that it belongs to. */
  readonly tag: string
  /** `false` for the only operation that needs no API key. Default `true`. */
  readonly authenticated?: boolean
  /** Whether it takes an `Idempotency-Key`; absent if it does not. */
  readonly idempotencyKey?: 'required' | 'optional'
  /**
   * How a request that is not a read and takes no key is repeated after a lost answer: `safe` changes nothing and is sent
   * again; the others only if reading the delivery shows that nothing happened, by its `fields-compared` with the
   * request's or its `status-compared` with the one asked for. Absent: never sent again.
   */
  readonly repeat?: 'safe' | 'fields-compared' | 'status-compared'
  /** The schema of its query parameters; absent if it has none. */
  readonly query?: z.ZodObject
  /** The schema of its request body; absent if it has none. */
  readonly body?: z.ZodType
  /** Whether the body can be omitted. */
  readonly bodyOptional?: boolean
  /** Its successful responses. */
  readonly responses: ResponseSchemas
  /** Query parameters of which at least one is required. */
  readonly requiresOneOf?: readonly string[]
  /** Error codes of this operation, in addition to those that any operation can return. */
  readonly errors: readonly KnownErrorCode[]
  /** The capability that the account needs. */
  readonly capability?: Capability
  /** Whether only the sandbox has it. Default `false`. */
  readonly sandboxOnly?: boolean
  /** For a paged operation: the property of the response that holds the items. */
  readonly pageOf?: string
}

/** The members of a row with their own types, and with the descriptions of `Operation` and `ResponseSchemas`. */
export type DescribedRow<Row extends Operation> = {
  readonly [Member in keyof Operation as Member extends keyof Row ? Member : never]-?: Member extends 'responses'
    ? DescribedResponses<Row['responses']>
    : Row[Member & keyof Row]
}

/** Schemas of responses with their own types, and with the descriptions of `ResponseSchemas`. */
type DescribedResponses<Responses extends ResponseSchemas> = {
  readonly [Status in keyof ResponseSchemas as Status extends keyof Responses ? Status : never]-?: Responses[Status &
    keyof Responses]
}

/** The row itself, with its literal types kept. */
export function operation<const Row extends Operation>(row: Row): Row {
  return row
}

/** Error codes that every authenticated operation can return. */
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

/** A client's view of an operation: how to send the request, and the shapes of its responses. */
export interface OperationDescriptor
  extends Pick<Operation, 'path' | 'authenticated' | 'idempotencyKey' | 'repeat' | 'pageOf'> {
  /** In capitals, as it is sent. */
  readonly method: HttpMethod
  /** By HTTP status, as in `Operation`. */
  readonly responses: Readonly<Partial<Record<keyof Operation['responses'], Shape>>>
}
