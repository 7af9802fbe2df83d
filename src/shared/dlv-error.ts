/** The base of this project's errors; `DlvError` in the contract is the union of its classes. */
export abstract class BaseError extends Error {
  abstract readonly kind: string
  /** How to fix it, if that is known. */
  readonly hint: string | undefined

  constructor(message: string, options: { hint?: string | undefined; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.hint = options.hint
  }

  static {
    nameClass(BaseError, 'DlvError')
  }

  /** For logs: without this, the JSON of an error has no message. */
  toJSON(): Record<string, unknown> {
    return { name: this.name, message: this.message, kind: this.kind, ...(this as object) }
  }
}

/** Gives a class and its errors a name that minifiers keep, before the first stack is written. */
export function nameClass(errors: { readonly prototype: Error }, name: string): void {
  const named = { value: name, configurable: true, writable: true }
  Object.defineProperty(errors, 'name', named)
  Object.defineProperty(errors.prototype, 'name', named)
}

/** Wrong before any request was sent: a flag, a file, a setting. */
export class UsageError extends BaseError {
  /** Tells this class from the others of `DlvError`. */
  readonly kind = 'usage'

  static {
    nameClass(UsageError, 'UsageError')
  }
}

/** A database or another local service rejected the user, the password or the permission. */
export class AccessDeniedError extends UsageError {
  static {
    nameClass(AccessDeniedError, 'AccessDeniedError')
  }
}

/**
 * Why there is no complete response. After `refused`, `name-not-found`, `unreachable`, `held` (the service
 * asked for a longer wait than allowed), `proxy` (a proxy opened no tunnel) and `proxy-refused` (it never will: 403 or 407)
 * nothing was sent. After the others the service may have executed the request.
 */
export type ConnectionFailure =
  | 'refused'
  | 'name-not-found'
  | 'unreachable'
  | 'held'
  | 'proxy'
  | 'proxy-refused'
  | 'tls'
  | 'timeout'
  | 'reset'
  | 'truncated'
  | 'too-large'
  | 'not-the-service'
  | 'redirect'
  | 'aborted'
  | 'other'

/** The error for a request without a complete response, and so without a status of the service. */
export class ConnectionError extends BaseError {
  /** Tells this class from the others of `DlvError`. */
  readonly kind = 'connection'
  /** The kind of failure; it also tells whether the request may have been executed. */
  readonly reason: ConnectionFailure
  /** The HTTP status, if a response began that was not from the service; after `proxy…` the proxy's answer to CONNECT. */
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

  static {
    nameClass(ConnectionError, 'ConnectionError')
  }
}
