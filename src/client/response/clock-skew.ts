import { ApiError, withHint } from '../../contract/index.js'
import { formatSpan } from '../retry/deadline.js'

/** From here on the difference is worth a word: below it, transit time and whole seconds explain it. */
const noticeableMs = 60_000

const timedCodes: ReadonlySet<string> = new Set([
  'QUOTE_EXPIRED',
  'INVALID_TIME_CONSTRAINT',
  'VALIDATION_ERROR',
  'UNAUTHORIZED',
])

/** The failure, with a sentence on this machine's clock if that is off enough to be the cause of a refusal. */
export function withSkew(failure: unknown, skewMs = 0): unknown {
  const hint = failure instanceof ApiError && timedCodes.has(failure.code) ? describeSkew(skewMs) : undefined
  return hint === undefined ? failure : withHint(failure, hint)
}

/** `This machine's clock is 10 min behind the service's.`; `undefined` if the two agree to the minute. */
export function describeSkew(skewMs: number): string | undefined {
  if (Math.abs(skewMs) < noticeableMs) return undefined
  return `This machine's clock is ${formatSpan(Math.abs(skewMs))} ${skewMs > 0 ? 'behind' : 'ahead of'} the service's.`
}
