import { errorStatuses, isKnownErrorCode, type KnownErrorCode } from '../../contract/index.js'
import { magicBeginnings } from './magic-tables.js'
import { Refusal } from './refusal.js'

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
