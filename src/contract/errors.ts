import { z } from 'zod'
import { errorCodes } from './error-codes.js'
import { openEnum, openObject } from './primitives.js'
import type * as wire from './types.generated.js'

export const ErrorCode = openEnum(errorCodes)
/** An error code of the contract, or one of a newer service. */
export type ErrorCode = wire.ErrorCode

/** An invalid field: `field` is a JSON-path-style pointer such as `dropoff.contactPhone`. */
export const FieldError = openObject({ field: z.string(), code: z.string(), message: z.string().optional() })
export type FieldError = wire.FieldError

/** The body of every 4xx and 5xx response, except a degraded health response. */
export const ErrorBody = openObject({
  error: openObject({
    code: ErrorCode,
    message: z.string(),
    requestId: z.string().nullish(),
    details: openObject({ fieldErrors: z.array(FieldError).optional() }).nullish(),
  }),
})
export type ErrorBody = wire.ErrorBody
