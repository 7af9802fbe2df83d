import type { ConnectionError } from '../../contract/index.js'
import { type ExplanationRows, explanationsOf } from './explanation.js'

/** `CONNECTION_` and the reason, in the spelling of error codes. */
type ConnectionCode<Reason extends string = ConnectionError['reason']> =
  Reason extends `${infer A}-${infer B}-${infer C}`
    ? `CONNECTION_${Uppercase<A>}_${Uppercase<B>}_${Uppercase<C>}`
    : Reason extends `${infer A}-${infer B}`
      ? `CONNECTION_${Uppercase<A>}_${Uppercase<B>}`
      : `CONNECTION_${Uppercase<Reason>}`

const sameKey = 'Yes: run the same command again; it sends the same Idempotency-Key.'
const sameCommand = 'Yes: run the same command again.'

const connectionRows: ExplanationRows<ConnectionCode> = {
  CONNECTION_REFUSED: [
    'Nothing is listening at the base URL; nothing was sent.',
    'Yes, once the service is up.',
    'dlv doctor',
    'dlv sandbox start',
  ],
  CONNECTION_NAME_NOT_FOUND: [
    'The host name cannot be resolved; nothing was sent.',
    'Yes, once the name resolves.',
    'dlv doctor',
  ],
  CONNECTION_UNREACHABLE: [
    'The host cannot be reached; nothing was sent.',
    'Yes, once the network is up.',
    'dlv doctor',
  ],
  CONNECTION_HELD: [
    'The service asked for a longer wait than --timeout allows.',
    'Yes, after that wait, or with a longer --timeout.',
    'dlv capabilities',
  ],
  CONNECTION_PROXY: [
    'The proxy opened no tunnel to the service, or cannot be reached; nothing was sent.',
    'Yes, once the proxy can reach the service.',
    'dlv doctor',
  ],
  CONNECTION_PROXY_REFUSED: [
    'The proxy refuses tunnels to the service, or the user name and password for it; nothing was sent.',
    'Not unchanged: correct HTTPS_PROXY, or have the proxy allow the service.',
    'dlv doctor',
  ],
  CONNECTION_TLS: [
    "The host's certificate is not trusted, or the TLS handshake failed.",
    'No. Behind a company proxy, set NODE_EXTRA_CA_CERTS to its certificate.',
    'dlv doctor',
  ],
  CONNECTION_TIMEOUT: [
    'No complete response arrived in time; the service may have executed the request.',
    sameKey,
    'dlv deliveries get --ref <clientOrderReference>',
    'dlv doctor',
  ],
  CONNECTION_RESET: ['The connection broke; the service may have executed the request.', sameKey, 'dlv doctor'],
  CONNECTION_TRUNCATED: ['The response was cut short.', sameKey, 'dlv doctor'],
  CONNECTION_TOO_LARGE: ['The response is larger than dlv accepts.', 'No.', 'dlv doctor'],
  CONNECTION_NOT_THE_SERVICE: [
    'Something other than the service responded: a proxy, a login page or another program.',
    'After checking the base URL and the network.',
    'dlv doctor',
  ],
  CONNECTION_REDIRECT: [
    'The address redirects, and the redirect was not followed.',
    'No: correct the address.',
    'dlv profiles show',
  ],
  CONNECTION_ABORTED: ['The command was interrupted before the response arrived.', sameCommand, 'dlv doctor'],
  CONNECTION_OTHER: ['The network failed.', sameCommand, 'dlv doctor'],
}

const rows = {
  USAGE: ['The command line, a file or a setting is wrong; nothing was sent.', 'Not unchanged.', 'dlv --help'],
  UNKNOWN_COMMAND: ['The command does not exist.', 'Not unchanged.', 'dlv --help'],
  AMBIGUOUS_REFERENCE: [
    'Several deliveries have the order reference; nothing was sent.',
    'With the id of the one that you mean.',
    'dlv deliveries list --search <clientOrderReference>',
  ],
  NO_QUOTE: [
    'With --cheapest or --max-price: no carrier offers a price for the order; nothing was dispatched.',
    'Later, or with a different order.',
    'dlv quotes create --file order.json',
  ],
  PRICE_ABOVE_MAXIMUM: [
    'The cheapest quote costs more than --max-price; nothing was dispatched.',
    'Later, or with a higher --max-price.',
    'dlv quotes create --file order.json',
  ],
  TOTAL_ABOVE_MAXIMUM: [
    'The best quotes and the tips together cost more than --max-total; nothing was dispatched.',
    'With a higher --max-total, or fewer orders.',
    'dlv quotes create --file order.json',
  ],
  JQ_FAILED: [
    'The --jq expression failed on the output. What the command did is not undone.',
    'With another expression.',
    'dlv <command> --json',
  ],
  JQ_TIMEOUT: [
    'The --jq expression did not finish within --timeout. What the command did is not undone.',
    'Yes, with a longer --timeout or a simpler expression.',
    'dlv <command> --json',
  ],
  CONTRACT_ERROR: [
    'A successful response does not match the contract.',
    'Yes; if it happens again, report it to the service with the request id.',
    'dlv doctor',
  ],
  SIGNATURE_ERROR: [
    'The webhook cannot be trusted.',
    'No: find out which secret signed it.',
    'dlv webhooks verify --explain',
  ],
  DAMAGED_FILE: ['A file of dlv is damaged.', 'Not before it is repaired or removed.', 'dlv doctor'],
  FILE_LOCKED: ['Another process is using a file of dlv.', 'Yes, once that process has ended.', 'dlv doctor'],
  DISK_FULL: ['No space is left on the disk.', 'Yes, after freeing some space.', 'dlv doctor'],
  FILE_ACCESS: ['A file or directory cannot be read or written.', 'After checking its permissions.', 'dlv doctor'],
  NODE_PERMISSION: [
    "Node's permission model does not allow what the command needs.",
    'With the flag of Node that the message names.',
    'dlv doctor',
  ],
  RESULTS_NOT_WRITTEN: [
    'The results could not be written; the service may have executed the request.',
    sameKey,
    'dlv doctor',
  ],
  DEFECT: ['A bug in dlv itself.', 'Maybe. Please report it with the command and the message.', 'dlv --version'],
} satisfies ExplanationRows<string>

/** Codes that the contract does not have and the embedded sandbox answers with, as services do. */
const sandboxRows = {
  NOT_FOUND: ['The service has no such path.', 'No: correct the path.', 'dlv openapi'],
  METHOD_NOT_ALLOWED: [
    'The path takes other methods, which the header Allow names.',
    'No: correct the method.',
    'dlv openapi',
  ],
} satisfies ExplanationRows<string>

/** Codes of this program's own, for failures in which the service did not respond. */
export const localErrorExplanations = [
  ...explanationsOf('command-line error', connectionRows),
  ...explanationsOf('command-line error', rows),
  ...explanationsOf('error code', sandboxRows),
]
