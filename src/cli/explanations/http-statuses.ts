import { errorStatuses } from '../../contract/index.js'
import { exitCodeOfStatus } from '../process/exit-codes.js'
import { type Explanation, explanationsOf } from './explanation.js'

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

const exitRows = {
  '0': [
    'Success. Includes no quotes, `serviceable: false` and an unknown reference of --ref: the contract has no error for them.',
    'Nothing to retry.',
  ],
  '1': ['A bug in dlv itself.', 'Maybe. Please report it with the command and the message.', 'dlv --version'],
  '2': ['Wrong usage, or refused as malformed (400).', 'Not unchanged.', 'dlv <command> --help'],
  '3': ['Not allowed (401, 403).', 'Only with another key.', 'dlv profiles show'],
  '4': [
    'Not found (404): no such delivery, driver or installation, or no delivery with the reference.',
    'No.',
    'dlv deliveries list --from 7d',
  ],
  '5': [
    'Conflict (409): the reference, the key or the status rules this out, or several deliveries have the reference.',
    'Look at the existing delivery first.',
    'dlv deliveries get --ref <clientOrderReference>',
  ],
  '6': ['Understood, but cannot be fulfilled (422).', 'Maybe later or elsewhere.', 'dlv explain <error code>'],
  '7': [
    'Still rate limited (429) at --timeout, or a bulk run whose --timeout was up.',
    'Yes, later, or with a longer --timeout.',
    'dlv capabilities',
  ],
  '8': [
    'No usable response: network, TLS, timeout, 5xx, or a body that is not from the service.',
    'Yes: run the same command again; an order keeps its Idempotency-Key.',
    'dlv doctor',
  ],
  '9': [
    'The command ran, but the outcome is not the expected one: a question that was answered with no, a watch that ended in another status, failed rows, an invalid signature, a gap, degraded health, or results that could not be written.',
    'Depends on the outcome.',
  ],
  '127': ['The command does not exist.', 'Not unchanged.', 'dlv --help'],
  '129': [
    'Ended by SIGHUP: the terminal was closed.',
    'A bulk run resumes where it stopped: run the same command again.',
  ],
  '130': ['Interrupted by Ctrl-C.', 'A bulk run resumes where it stopped: run the same command again.'],
  '141': ['The reader of the output closed the pipe (`| head`).', 'Nothing to retry.'],
  '143': ['Terminated by SIGTERM.', 'A bulk run resumes where it stopped: run the same command again.'],
} as const

export const exitExplanations = explanationsOf('exit code', exitRows)
