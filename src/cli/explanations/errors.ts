import type { KnownErrorCode } from '../../contract/index.js'
import { type ExplanationRows, explanationsOf } from './explanation.js'

const never = 'No: the same request fails again.'
const later = 'Not unchanged; a later or a different order may succeed.'
const checkInstallation = 'dlv installations check <code>'
const showDelivery = 'dlv deliveries get <id>'
const showOrder = 'dlv deliveries get --ref <clientOrderReference>'

const rows: ExplanationRows<KnownErrorCode> = {
  VALIDATION_ERROR: [
    'A field is missing or malformed (400), or contradicts another field (422).',
    never,
    'dlv deliveries create --file order.json --dry-run',
  ],
  INVALID_ADDRESS: [
    'The address is well-formed, but was not found on the map.',
    never,
    'dlv deliveries create --file order.json --to "<street>, <city>, <ST> <ZIP>"',
  ],
  INVALID_PHONE_NUMBER: [
    'The phone number is not in E.164 format, such as +12025550123.',
    never,
    'dlv deliveries create --file order.json --set dropoff.contactPhone=+1…',
  ],
  INVALID_TIME_CONSTRAINT: [
    'A time window is malformed, in the past, or cannot be served; on an installation, its gates have hours.',
    'Only with a different window.',
    'dlv deliveries create --file order.json --dry-run',
  ],
  INVALID_STORE_REFERENCE: [
    'The store is not registered with this account: ask the service for its stores, which no request lists. A sheet that names its stores is mapped by "stores": {"Hay Street": "STORE-001"} in --map-file.',
    never,
    'dlv query "SELECT DISTINCT store_reference FROM deliveries"',
    'dlv profiles show',
  ],
  INVALID_TEAM_REFERENCE: ['The dispatch team does not exist.', never, 'dlv teams list'],
  UNSUPPORTED_REQUIREMENT: [
    'The account does not support a verification, cargo attribute or dispatch mode of the order, or an update lowers a verification that the cargo or the destination requires.',
    later,
    'dlv capabilities',
  ],
  UNSUPPORTED_DESTINATION: [
    'Drivers cannot deliver there: military mail (APO, FPO, DPO), a PO box or general delivery.',
    never,
    'dlv installations check --file order.json',
  ],
  INSTALLATION_NOT_SERVED: ['The service does not deliver to this installation.', never, 'dlv installations list'],
  INSTALLATION_NOT_ACCEPTING_DELIVERIES: [
    'The installation is currently closed to commercial deliveries.',
    later,
    checkInstallation,
  ],
  PROHIBITED_CARGO_FOR_DESTINATION: [
    'The installation prohibits something in the package.',
    'Only without that cargo.',
    'dlv installations get <code>',
  ],
  NO_ELIGIBLE_PROVIDERS: [
    'No carrier can take this order: the distance, the weight or a requirement rules them all out.',
    later,
    'dlv quotes create --file order.json',
  ],
  NO_CREDENTIALED_DRIVER_AVAILABLE: [
    'No available driver has a valid credential for the installation.',
    later,
    checkInstallation,
  ],
  QUOTES_NOT_SUPPORTED: ['The account does not support quotes.', never, 'dlv capabilities'],
  QUOTE_EXPIRED: [
    'The quote has expired; quotes are valid for a short time.',
    'Yes, with a new quote.',
    'dlv quotes create --file order.json',
  ],
  DUPLICATE_ORDER: [
    'A delivery with this clientOrderReference already exists.',
    'No: look at the existing delivery first; an update changes it, and another order needs a reference of its own.',
    showOrder,
    'dlv deliveries update <id> --set <field>=<value>',
  ],
  IDEMPOTENCY_KEY_REUSED: [
    'The order changed since this Idempotency-Key was used; nothing was dispatched.',
    never,
    showOrder,
    showDelivery,
    'dlv deliveries create --file order.json --new-key',
  ],
  IDEMPOTENCY_CONFLICT: [
    'A request with the same Idempotency-Key is still in progress.',
    'Yes: run the same command again in a moment.',
    showOrder,
    showDelivery,
  ],
  DELIVERY_NOT_FOUND: [
    'No delivery of this account has this id. A reference that begins with del_ is written ref:del_….',
    never,
    'dlv deliveries list --from 7d',
    showOrder,
  ],
  DRIVER_NOT_FOUND: ['The driver does not exist, or this account cannot see drivers.', never, 'dlv drivers list'],
  INSTALLATION_NOT_FOUND: ['No installation has this code.', never, 'dlv installations list'],
  INVALID_STATE_TRANSITION: [
    'The status of the delivery does not allow this.',
    'No, unless the status changes.',
    showDelivery,
    'dlv simulate <id> --list',
  ],
  SANDBOX_ONLY: ['Simulation requires a sandbox key.', never, 'dlv profiles list'],
  UNAUTHORIZED: [
    'The API key is missing, wrong or revoked.',
    'Only with a valid key.',
    'dlv profiles show',
    'dlv profiles add <name> --api-key-stdin',
  ],
  RATE_LIMIT_EXCEEDED: [
    'Too many requests: every program with this key shares its requests per second, and they were used up.',
    'Yes, after Retry-After: dlv waits and retries until --timeout.',
    'dlv capabilities --jq .capabilities.maxRequestsPerSecond',
  ],
  SERVICE_UNAVAILABLE: [
    'The service is temporarily unavailable.',
    'Yes: run the same command again later.',
    'dlv health',
  ],
  INTERNAL_ERROR: [
    'The service failed unexpectedly.',
    'Yes for reads, and for writes with the same Idempotency-Key: run the same command again.',
    'dlv health',
  ],
}

export const errorExplanations = explanationsOf('error code', rows)
