import { z } from 'zod'
import { errorCodes } from './error-codes.js'
import { openEnum, openObject } from './primitives.js'

export const ErrorCode = openEnum(errorCodes)
export type ErrorCode = z.infer<typeof ErrorCode>

/** An invalid field: `field` is a JSON-path-style pointer such as `dropoff.contactPhone`. */
export const FieldError = openObject({ field: z.string(), code: z.string(), message: z.string().optional() })
export type FieldError = z.infer<typeof FieldError>

/** The body of every 4xx and 5xx response, except a degraded health response. */
export const ErrorBody = openObject({
  error: openObject({
    code: ErrorCode,
    message: z.string(),
    requestId: z.string().nullish(),
    details: openObject({ fieldErrors: z.array(FieldError).optional() }).nullish(),
  }),
})
export type ErrorBody = z.infer<typeof ErrorBody>
