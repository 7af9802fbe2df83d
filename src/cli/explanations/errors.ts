import type { KnownErrorCode } from '../../contract/index.js'
import { type ExplanationRows, explanationsOf } from './explanation.js'

const never = 'No: unchanged, it fails again.'
const elsewhere = 'Not unchanged; it may succeed later or elsewhere.'
const serviceability = 'dlv installations check <code> --to "<address>"'

const rows: ExplanationRows<KnownErrorCode> = {
  VALIDATION_ERROR: [
    'A field is missing, malformed (400) or contradicts another (422).',
    never,
    'dlv deliveries create --file order.json --dry-run',
  ],
  INVALID_ADDRESS: [
    'The address is well-formed, but cannot be placed on a map.',
    never,
    'dlv deliveries create --file order.json --set dropoff.address.line1="…"',
  ],
  INVALID_PHONE_NUMBER: [
    'The phone number is not E.164, such as +12025550123.',
    never,
    'dlv deliveries create --file order.json --set dropoff.contactPhone=+1…',
  ],
  INVALID_TIME_CONSTRAINT: [
    'A time window is malformed, in the past, or cannot be served.',
    'Only with another window.',
    'dlv installations get <code>',
  ],
  INVALID_STORE_REFERENCE: ['The store is not registered with this account.', never, 'dlv profiles show'],
  INVALID_TEAM_REFERENCE: ['The dispatch team is unknown.', never, 'dlv teams list'],
  UNSUPPORTED_REQUIREMENT: [
    'The account does not have a check, a cargo attribute or a dispatch mode that the order asks for; or an update lowers a check that the cargo or the destination requires.',
    elsewhere,
    'dlv capabilities',
  ],
  UNSUPPORTED_DESTINATION: [
    'Nobody delivers there: military mail (APO, FPO, DPO), a PO box, general delivery.',
    never,
    serviceability,
  ],
  INSTALLATION_NOT_SERVED: ['The service does not deliver to this installation.', never, 'dlv installations list'],
  INSTALLATION_NOT_ACCEPTING_DELIVERIES: [
    'The installation is closed to commercial deliveries at the moment.',
    elsewhere,
    serviceability,
  ],
  PROHIBITED_CARGO_FOR_DESTINATION: [
    'The installation prohibits what the package contains.',
    'Only without that cargo.',
    'dlv installations get <code>',
  ],
  NO_ELIGIBLE_PROVIDERS: [
    'No carrier can do this order: too far, too heavy, or a requirement nobody meets.',
    elsewhere,
    'dlv quotes create --file order.json',
  ],
  NO_CREDENTIALED_DRIVER_AVAILABLE: [
    'No driver holds a current credential for the installation.',
    elsewhere,
    serviceability,
  ],
  QUOTES_NOT_SUPPORTED: ['The account has no quotes.', never, 'dlv capabilities'],
  QUOTE_EXPIRED: [
    'The quote has lapsed; prices hold for a short time.',
    'Yes, with a new quote.',
    'dlv quotes create --file order.json',
  ],
  DUPLICATE_ORDER: [
    'A delivery with this clientOrderReference exists already.',
    'No: look at the one that exists.',
    'dlv deliveries get --ref <clientOrderReference>',
  ],
  IDEMPOTENCY_KEY_REUSED: [
    'The order changed since this Idempotency-Key was used; nothing was executed.',
    never,
    'dlv deliveries get --ref <clientOrderReference>',
    'dlv deliveries create --file order.json --new-key',
  ],
  IDEMPOTENCY_CONFLICT: [
    'A request with the same Idempotency-Key is still being worked on.',
    'Yes, after a moment: the same command again.',
    'dlv deliveries get --ref <clientOrderReference>',
  ],
  DELIVERY_NOT_FOUND: [
    'No delivery of this account has this id.',
    never,
    'dlv deliveries list --from 7d',
    'dlv deliveries get --ref <clientOrderReference>',
  ],
  DRIVER_NOT_FOUND: ['The driver is unknown, or the account may not see drivers.', never, 'dlv drivers list'],
  INSTALLATION_NOT_FOUND: ['No installation has this code.', never, 'dlv installations list'],
  INVALID_STATE_TRANSITION: [
    'The delivery is in a status in which this is not possible.',
    'No, unless the status changes.',
    'dlv deliveries get <id>',
    'dlv simulate <id> --list',
  ],
  SANDBOX_ONLY: ['Simulation works with a sandbox key alone.', never, 'dlv profiles list'],
  UNAUTHORIZED: [
    'The API key is missing, wrong or revoked.',
    'Only with another key.',
    'dlv profiles show',
    'dlv profiles add <name> --api-key-stdin',
  ],
  RATE_LIMIT_EXCEEDED: [
    'Too many requests for this key.',
    'Yes, after the wait that the answer names; the command did, as long as --timeout allowed.',
    'dlv capabilities',
  ],
  SERVICE_UNAVAILABLE: ['The service is out for a while.', 'Yes, with patience: the same command again.', 'dlv health'],
  INTERNAL_ERROR: [
    'The service failed in an unexpected way.',
    'Reads, and writes with the same Idempotency-Key: yes, the same command again.',
    'dlv health',
  ],
}

/** Codes of this program, for failures that do not come from the service. */
const ownRows = {
  USAGE: ['The command line, a file or a setting is wrong; nothing was sent.', never, 'dlv <command> --help'],
  UNKNOWN_COMMAND: ['There is no such command.', never, 'dlv --help'],
  CONNECTION_REFUSED: [
    'Nothing is listening at the base address.',
    'Yes, once it is up; nothing was sent.',
    'dlv doctor',
    'dlv sandbox start',
  ],
  CONNECTION_NAME_NOT_FOUND: [
    'The name of the host is not known here.',
    'Yes, once the name resolves; nothing was sent.',
    'dlv doctor',
  ],
  CONNECTION_TLS: [
    "The host's certificate is not trusted, or TLS failed.",
    'No. Behind a company proxy, name its certificate in NODE_EXTRA_CA_CERTS.',
    'dlv doctor',
  ],
  CONNECTION_TIMEOUT: [
    'No complete answer came in time; the service may have executed the request.',
    'The same command again: it carries the same Idempotency-Key.',
    'dlv deliveries get --ref <clientOrderReference>',
  ],
  CONNECTION_RESET: [
    'The connection broke; the service may have executed the request.',
    'The same command again: it carries the same Idempotency-Key.',
    'dlv doctor',
  ],
  CONNECTION_TRUNCATED: [
    'The answer was cut short.',
    'The same command again: it carries the same Idempotency-Key.',
    'dlv doctor',
  ],
  CONNECTION_TOO_LARGE: ['The answer is larger than anything this service sends.', 'No.', 'dlv doctor'],
  CONNECTION_NOT_THE_SERVICE: [
    'Something answered that is not the service: a proxy, a login page, another program.',
    'After the base address and the network are checked.',
    'dlv doctor',
  ],
  CONNECTION_REDIRECT: [
    'The address redirects; a key is never sent on to another place.',
    'No: correct the base address.',
    'dlv profiles show',
  ],
  CONNECTION_ABORTED: ['The command was ended before the answer came.', 'The same command again.', 'dlv doctor'],
  CONNECTION_OTHER: ['The network failed.', 'The same command again.', 'dlv doctor'],
  CONTRACT_ERROR: [
    'A successful answer that cannot be understood.',
    'The same command again; report it with the request id if it stays.',
    'dlv doctor',
  ],
  SIGNATURE_ERROR: [
    'A webhook that cannot be trusted.',
    'No: find out which secret signed it.',
    'dlv webhooks verify --explain',
  ],
  DEFECT: ['A bug in dlv itself.', 'Maybe; please report it with the command and this message.', 'dlv --version'],
} satisfies ExplanationRows<string>

export const errorExplanations = [
  ...explanationsOf('error code', rows),
  ...explanationsOf('command-line error', ownRows),
]
