import { errorStatuses, type FieldError, isKnownErrorCode, type KnownErrorCode } from '../../contract/index.js'
import { magicBeginnings } from './magic-tables.js'

/** Codes beyond the contract's: of paths that it does not have, and of control calls. */
const ownStatuses = { NOT_FOUND: 404, METHOD_NOT_ALLOWED: 405, SNAPSHOT_EXISTS: 409, SNAPSHOT_UNUSABLE: 422 } as const
type OwnErrorCode = keyof typeof ownStatuses

/** The service says no: becomes the error body of the contract. */
export class Refusal extends Error {
  readonly status: number
  readonly code: string
  readonly details: Record<string, unknown> | undefined
  readonly retryAfterSeconds: number | undefined
  /** Whether the same request will fail in the same way until somebody mends the cause. */
  readonly isPermanent: boolean

  constructor(
    code: KnownErrorCode | OwnErrorCode,
    message: string,
    extra: {
      /** If the code comes with several: the contract's first one unless given. */
      status?: number
      fieldErrors?: readonly FieldError[]
      details?: Record<string, unknown>
      retryAfterSeconds?: number
      isPermanent?: boolean
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
    this.isPermanent = extra.isPermanent ?? false
  }
}

function statusOf(code: KnownErrorCode | OwnErrorCode): number {
  return code in ownStatuses ? ownStatuses[code as OwnErrorCode] : errorStatuses[code as KnownErrorCode][0]
}

/** Seconds that a forced refusal asks to wait, if its status carries `Retry-After`. */
const defaultRetryAfterSeconds: Partial<Record<KnownErrorCode, number>> = {
  RATE_LIMIT_EXCEEDED: 1,
  SERVICE_UNAVAILABLE: 5,
}

/** The refusal with a code, as a magic value asks for it; `status` has to be one that the code comes with. */
export function refusalOf(
  code: KnownErrorCode,
  options: { status?: number | undefined; retryAfterSeconds?: number | undefined } = {},
): Refusal {
  const { status } = options
  const isOwnStatus = status !== undefined && (errorStatuses[code] as readonly number[]).includes(status)
  const retryAfterSeconds = options.retryAfterSeconds ?? defaultRetryAfterSeconds[code]
  return new Refusal(code, `A magic value asked for ${code}.`, {
    ...(isOwnStatus ? { status } : {}),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  })
}

/** Throws what an identifier such as `del_err_RATE_LIMIT_EXCEEDED` names. */
export function refuseMagicId(id: string, kind: 'delivery' | 'driver' | 'installation'): void {
  const prefix = magicBeginnings[kind]
  const code = id.startsWith(prefix) ? id.slice(prefix.length) : ''
  if (isKnownErrorCode(code)) throw refusalOf(code)
}
