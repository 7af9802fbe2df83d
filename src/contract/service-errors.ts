import { BaseError, ConnectionError, nameClass, UsageError } from '../shared/dlv-error.js'
import type { KnownErrorCode } from './error-codes.js'
import type { ErrorBody } from './errors.js'

/** All error classes: `dist/errors.js` is made of this file. */
export * from '../shared/dlv-error.js'

/** A field that the service rejected: its path, a code and often a message. */
export interface RefusedField {
  /** The path of the field, such as `dropoff.contactPhone`. */
  field: string
  /** The kind of problem, such as `REQUIRED`. */
  code: string
  /** The problem, in words. */
  message?: string | undefined
}

/** The service returned an error. Branch on `code`; new codes can appear without notice. */
export class ApiError extends BaseError {
  /** Tells this class from the others of `DlvError`. */
  readonly kind = 'api'
  /** The HTTP status. */
  readonly status: number
  /** The error code, such as `QUOTE_EXPIRED`. */
  readonly code: KnownErrorCode | (string & {})
  /** The id of the request: give it to the service's support. */
  readonly requestId: string | undefined
  /** The fields that were rejected; empty if it was not about fields. */
  readonly fieldErrors: readonly RefusedField[]
  /** `error.details`, unchanged: often an object, but a service can send a list or a text. */
  readonly details: unknown
  /** The delay in milliseconds that `Retry-After` asked for, if the response had one. */
  readonly retryAfterMs: number | undefined
  /** Whether the service said that sending the request again changes nothing. */
  readonly isPermanent: boolean

  constructor(
    message: string,
    answer: {
      status: number
      code: string
      requestId?: string | undefined
      fieldErrors?: readonly RefusedField[] | undefined
      details?: unknown
      retryAfterMs?: number | undefined
      isPermanent?: boolean | undefined
      hint?: string | undefined
    },
  ) {
    super(message, { hint: answer.hint })
    this.status = answer.status
    this.code = answer.code
    this.requestId = answer.requestId
    this.fieldErrors = answer.fieldErrors ?? []
    this.details = answer.details
    this.retryAfterMs = answer.retryAfterMs
    this.isPermanent = answer.isPermanent ?? false
  }

  static {
    nameClass(ApiError, 'ApiError')
  }
}

/** A successful response that cannot be understood, such as a 201 without `deliveryId`, or a webhook that is not an event. */
export class ContractError extends BaseError {
  /** Tells this class from the others of `DlvError`. */
  readonly kind = 'contract'
  /** The operation whose response it was; `webhook` for a webhook. */
  readonly operation: string
  /** The missing or invalid parts, one sentence per field. */
  readonly issues: readonly string[]
  /** The id of the request: give it to the service's support. */
  readonly requestId: string | undefined

  constructor(
    message: string,
    answer: { operation: string; issues: readonly string[]; requestId?: string | undefined; hint?: string },
  ) {
    super(message, { hint: answer.hint })
    this.operation = answer.operation
    this.issues = answer.issues
    this.requestId = answer.requestId
  }

  static {
    nameClass(ContractError, 'ContractError')
  }
}

/** A webhook that cannot be trusted. */
export class SignatureError extends BaseError {
  /** Tells this class from the others of `DlvError`. */
  readonly kind = 'signature'
  /** One of the verifier's verdicts, such as `no_matching_signature`. */
  readonly reason: string

  constructor(message: string, verdict: { reason: string; hint?: string | undefined }) {
    super(message, { hint: verdict.hint })
    this.reason = verdict.reason
  }

  static {
    nameClass(SignatureError, 'SignatureError')
  }
}

/** A delivery has ended in another status than the one that was waited for. */
export class OutcomeError extends BaseError {
  /** Tells this class from the others of `DlvError`. */
  readonly kind = 'outcome'
  /** The delivery. */
  readonly deliveryId: string
  /** The status that it has. */
  readonly status: string
  /** The status that was waited for. */
  readonly expected: string

  constructor(message: string, outcome: { deliveryId: string; status: string; expected: string; hint?: string }) {
    super(message, { hint: outcome.hint })
    this.deliveryId = outcome.deliveryId
    this.status = outcome.status
    this.expected = outcome.expected
  }

  static {
    nameClass(OutcomeError, 'OutcomeError')
  }
}

/** There is no quote for an order, or the price is above a limit: nothing was dispatched. */
export class QuoteRefusedError extends UsageError {
  /** Whether there is no quote, none that is cheap enough, or the quotes and tips together cost too much. */
  readonly code: 'NO_QUOTE' | 'PRICE_ABOVE_MAXIMUM' | 'TOTAL_ABOVE_MAXIMUM'
  /** The service's reason for `NO_QUOTE`, if it gives one. */
  readonly reason: string | undefined

  constructor(code: QuoteRefusedError['code'], message: string, hint: string, reason?: string) {
    super(message, { hint })
    this.code = code
    this.reason = reason
  }

  static {
    nameClass(QuoteRefusedError, 'QuoteRefusedError')
  }
}

/** Any error of this package: `kind` tells which, and `hint` says what to do. */
export type DlvError = UsageError | ApiError | ConnectionError | ContractError | SignatureError | OutcomeError

/** The base of every error of this package. After `instanceof DlvError`, `kind` narrows to the class. */
export const DlvError = BaseError as unknown as {
  readonly prototype: DlvError
  /** `DlvError`. */
  readonly name: string
} & (abstract new (
  message: string,
  options?: { hint?: string | undefined; cause?: unknown },
) => DlvError)

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

/** A copy of the failure whose hint has one more sentence; it keeps what is known of the failure by a symbol. */
export function withHint(failure: unknown, sentence: string): unknown {
  const hint = (known: string | undefined) => (known === undefined ? sentence : `${known} ${sentence}`)
  const copy = () => {
    if (failure instanceof ApiError) return new ApiError(failure.message, { ...failure, hint: hint(failure.hint) })
    if (failure instanceof ConnectionError)
      return new ConnectionError(failure.message, { ...failure, cause: failure.cause, hint: hint(failure.hint) })
    if (failure instanceof ContractError)
      return new ContractError(failure.message, { ...failure, hint: hint(failure.hint) })
    return undefined
  }
  const told = copy()
  if (told === undefined) return failure
  for (const known of Object.getOwnPropertySymbols(failure))
    Object.defineProperty(told, known, { value: Reflect.get(failure as object, known) })
  return told
}
