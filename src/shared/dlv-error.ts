import { maxJsonDepth } from './json.js'

/** A field that the service rejected: its path, a code and often a message. */
export interface RefusedField {
  field: string
  code: string
  message?: string | undefined
  [name: string]: unknown
}

/** The base of every error of this project: a literal `kind` to branch on, and a `hint` that says what to do. */
export abstract class DlvError extends Error {
  abstract readonly kind: 'usage' | 'api' | 'connection' | 'contract' | 'signature'
  readonly hint: string | undefined

  constructor(message: string, options: { hint?: string | undefined; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = new.target.name
    this.hint = options.hint
  }
}

/** Wrong before any request was sent: a flag, a file, a setting. */
export class UsageError extends DlvError {
  readonly kind = 'usage'
}

/** The error for JSON that is nested too deep; `what` names it, such as `The order`. */
export function tooDeep(what: string): UsageError {
  return new UsageError(`${what} is nested deeper than ${maxJsonDepth} levels`)
}

/** The service returned an error. Branch on `code`; new codes can appear without notice. */
export class ApiError extends DlvError {
  readonly kind = 'api'
  readonly status: number
  readonly code: string
  readonly requestId: string | undefined
  readonly fieldErrors: readonly RefusedField[]
  /** `error.details`, unchanged; its shape depends on the code. */
  readonly details: Readonly<Record<string, unknown>> | undefined
  /** The delay in milliseconds that `Retry-After` asked for, if the response had one. */
  readonly retryAfterMs: number | undefined

  constructor(
    message: string,
    answer: {
      status: number
      code: string
      requestId?: string | undefined
      fieldErrors?: readonly RefusedField[] | undefined
      details?: Readonly<Record<string, unknown>> | undefined
      retryAfterMs?: number | undefined
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
  }
}

/**
 * Why there is no complete response. After `refused`, `name-not-found`, `unreachable` and `held` (the service asked for
 * a longer wait than allowed) nothing was sent. After the others the service may have executed the request.
 */
export type ConnectionFailure =
  | 'refused'
  | 'name-not-found'
  | 'unreachable'
  | 'held'
  | 'tls'
  | 'timeout'
  | 'reset'
  | 'truncated'
  | 'too-large'
  | 'not-the-service'
  | 'redirect'
  | 'aborted'
  | 'other'

/** There is no complete response, and so no status of the service. */
export class ConnectionError extends DlvError {
  readonly kind = 'connection'
  readonly reason: ConnectionFailure
  /** The HTTP status, if a response began that was not from the service. */
  readonly status: number | undefined
  /** The id of the request, if it is known. */
  readonly requestId: string | undefined
  /** The delay in milliseconds that `Retry-After` asked for, if the response had one. */
  readonly retryAfterMs: number | undefined

  constructor(
    message: string,
    failure: {
      reason: ConnectionFailure
      status?: number | undefined
      requestId?: string | undefined
      retryAfterMs?: number | undefined
      hint?: string | undefined
      cause?: unknown
    },
  ) {
    super(message, { hint: failure.hint, cause: failure.cause })
    this.reason = failure.reason
    this.status = failure.status
    this.requestId = failure.requestId
    this.retryAfterMs = failure.retryAfterMs
  }
}

/** A successful response that cannot be understood, such as a 201 without `deliveryId`. */
export class ContractError extends DlvError {
  readonly kind = 'contract'
  readonly operation: string
  readonly issues: readonly string[]
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
}

/** A webhook that cannot be trusted; `reason` is one of the verifier's verdicts. */
export class SignatureError extends DlvError {
  readonly kind = 'signature'
  readonly reason: string

  constructor(message: string, verdict: { reason: string; hint?: string | undefined }) {
    super(message, { hint: verdict.hint })
    this.reason = verdict.reason
  }
}
