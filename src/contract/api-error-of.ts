import type { ErrorBody } from './errors.js'
import { ApiError } from './service-errors.js'

/** The `ApiError` for an error response. */
export function apiErrorOf(status: number, { error }: ErrorBody, hint?: string): ApiError {
  const { code, message, requestId, details } = error
  return new ApiError(message, {
    status,
    code,
    requestId: requestId ?? undefined,
    fieldErrors: details?.fieldErrors,
    details: details ?? undefined,
    hint,
  })
}
