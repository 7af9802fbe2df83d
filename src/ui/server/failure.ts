import { ApiError, ConnectionError, DlvError, UsageError } from '../../contract/index.js'
import type { Failure } from '../wire/session.js'
import { Refused } from './route.js'

/** The status and the words for an error of a route. */
export function failureOf(error: unknown): { status: number; failure: Failure } {
  if (error instanceof Refused) {
    const { status, code, message, hint } = error
    return { status, failure: { code, message, hint } }
  }
  if (error instanceof ApiError) {
    const { status, code, message, requestId, fieldErrors } = error
    return {
      status: status >= 400 && status < 600 ? status : 502,
      failure: {
        code,
        message,
        requestId,
        fieldErrors:
          fieldErrors.length === 0
            ? undefined
            : fieldErrors.map(({ field, message: text }) => ({ field, message: text })),
      },
    }
  }
  if (error instanceof UsageError) {
    const { message, hint } = error
    return { status: 422, failure: { code: 'REFUSED', message, hint } }
  }
  if (error instanceof ConnectionError) {
    const { status, message } = error
    return status === 404
      ? { status, failure: { code: 'NOT_FOUND', message } }
      : { status: 502, failure: { code: 'NO_ANSWER', message } }
  }
  if (error instanceof DlvError) return { status: 502, failure: { code: error.kind, message: error.message } }
  return {
    status: 500,
    failure: { code: 'INTERNAL_ERROR', message: error instanceof Error ? error.message : 'Failed.' },
  }
}
