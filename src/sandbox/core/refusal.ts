import { errorStatuses, type FieldError, type KnownErrorCode } from '../../contract/index.js'

/** The service says no: becomes the error body of the contract. */
export class Refusal extends Error {
  readonly status: number
  readonly code: string
  readonly details: Record<string, unknown> | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(
    code: KnownErrorCode | 'NOT_FOUND' | 'METHOD_NOT_ALLOWED',
    message: string,
    extra: {
      /** Where the code comes with several: the contract's first one unless given. */
      status?: number
      fieldErrors?: readonly FieldError[]
      details?: Record<string, unknown>
      retryAfterSeconds?: number
    } = {},
  ) {
    super(message)
    this.name = 'Refusal'
    this.code = code
    this.status = extra.status ?? statusOf(code)
    const fieldErrors = extra.fieldErrors === undefined ? {} : { fieldErrors: extra.fieldErrors }
    const details = { ...extra.details, ...fieldErrors }
    this.details = Object.keys(details).length > 0 ? details : undefined
    this.retryAfterSeconds = extra.retryAfterSeconds
  }
}

function statusOf(code: KnownErrorCode | 'NOT_FOUND' | 'METHOD_NOT_ALLOWED'): number {
  if (code === 'NOT_FOUND') return 404
  if (code === 'METHOD_NOT_ALLOWED') return 405
  return errorStatuses[code][0]
}
