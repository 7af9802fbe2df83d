import { errorStatuses } from '../../contract/index.js'
import { exitCodeOfStatus } from '../process/exit-codes.js'
import type { Explanation } from './explanation.js'

const statusMeanings: Readonly<Record<string, readonly [meaning: string, retry: string, ...next: string[]]>> = {
  200: ['OK. On POST /deliveries: a replay of an earlier response; nothing new was dispatched.', 'Nothing to retry.'],
  201: ['Created: a delivery was created and will be dispatched.', 'Nothing to retry.', 'dlv deliveries get <id>'],
  400: ['Bad request: the request is malformed.', 'No: the same request fails again.', 'dlv explain VALIDATION_ERROR'],
  401: ['Unauthorized: the API key is missing, wrong or revoked.', 'Only with a valid key.', 'dlv profiles show'],
  403: ['Forbidden: the account or the environment does not allow this.', 'Only with another key.', 'dlv capabilities'],
  404: ['Not found: the account has no such delivery, driver or installation.', 'No.', 'dlv deliveries list --from 7d'],
  405: ['Method not allowed: the path exists, and takes other methods.', 'No.', 'dlv openapi'],
  409: [
    'Conflict: the reference, the key or the status of the delivery rules this out.',
    'Only for IDEMPOTENCY_CONFLICT. Otherwise look at what exists first.',
    'dlv deliveries get --ref <clientOrderReference>',
  ],
  422: ['Unprocessable: well-formed, but cannot be fulfilled.', 'Not unchanged.', 'dlv explain <error code>'],
  429: [
    'Too many requests: every program with this key shares its requests per second, and they were used up.',
    'Yes, after Retry-After: dlv waits and retries until --timeout, and a bulk run slows down by itself.',
    'dlv capabilities --jq .capabilities.maxRequestsPerSecond',
    'dlv deliveries create --file orders.csv --timeout 30m',
  ],
  500: ['Internal server error.', 'Yes for reads, and for writes with the same Idempotency-Key.', 'dlv health'],
  502: ['Bad gateway: a proxy got no valid response.', 'Yes, like 500.', 'dlv health'],
  503: [
    'Service unavailable: a temporary outage, not a mistake in the request.',
    'Yes, after Retry-After: dlv retries until --timeout. The same command again keeps the Idempotency-Key: no second driver.',
    'dlv health',
    'dlv deliveries get --ref <clientOrderReference>',
  ],
  504: ['Gateway timeout: a proxy got no response in time.', 'Yes, like 500.', 'dlv health'],
}

/** The error codes that come with a status. */
function codesOf(status: number): string[] {
  return Object.entries(errorStatuses).flatMap(([code, statuses]) =>
    (statuses as readonly number[]).includes(status) ? [code] : [],
  )
}

export const httpStatusExplanations: Explanation[] = Object.entries(statusMeanings).map(
  ([code, [meaning, retry, ...next]]) => {
    const status = Number(code)
    const codes = codesOf(status)
    const comesWith = codes.length === 0 ? '' : ` Comes with ${codes.join(', ')}.`
    const exit = status < 400 ? '' : ` dlv exits with ${exitCodeOfStatus(status)}.`
    return { kind: 'HTTP status', code, meaning: `${meaning}${comesWith}${exit}`, retry, next }
  },
)
