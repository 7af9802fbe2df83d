import { UsageError } from './service-errors.js'
import type { Time } from './types.generated.js'

/** Header names as the contract spells them. Compare them case-insensitively. */
export const headers = {
  authorization: 'Authorization',
  idempotencyKey: 'Idempotency-Key',
  idempotencyReplayed: 'Idempotency-Replayed',
  requestId: 'X-Request-Id',
  rateLimit: 'RateLimit',
  rateLimitPolicy: 'RateLimit-Policy',
  legacyLimit: 'X-RateLimit-Limit',
  legacyRemaining: 'X-RateLimit-Remaining',
  legacyReset: 'X-RateLimit-Reset',
  retryAfter: 'Retry-After',
  /** Not in the contract: `false` says that sending a failed request again changes nothing. */
  shouldRetry: 'X-Should-Retry',
  /** Not in the contract: of a sandbox, what names its present state, another one after each reset. */
  sandboxInstance: 'X-Sandbox-Instance',
  webhookId: 'webhook-id',
  webhookTimestamp: 'webhook-timestamp',
  webhookSignature: 'webhook-signature',
} as const

/** A time of a request in milliseconds since the epoch. */
export function timeMs(time: Time): number {
  return typeof time === 'string' ? Date.parse(time) : time.getTime()
}

/**
 * Formats query parameters as the service reads them: `true` or `false`, digits, RFC 3339 for a `Date`, and a repeated
 * name for a list.
 *
 * @throws UsageError for an invalid `Date`
 */
export function formatQuery(query: object): URLSearchParams {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue
    for (const single of Array.isArray(value) ? value : [value]) parameters.append(name, parameterText(name, single))
  }
  return parameters
}

function parameterText(name: string, value: unknown): string {
  if (!(value instanceof Date)) return String(value)
  if (Number.isNaN(value.getTime())) throw new UsageError(`${name} is an invalid Date`)
  return value.toISOString()
}
