import type { KnownErrorCode } from '../../error-codes.js'
import type { ErrorBody } from '../../errors.js'
import type { DeliveryEvent, DriverEvent, EventPage, InstallationEvent } from '../../events.js'
import { deliveryId, updated } from './deliveries.js'
import { driver, installation, order } from './orders.js'

/** An event of each kind, and a page of past ones. */

export const deliveryEvent: DeliveryEvent = {
  eventId: 'evt_01KJQN5F1A3C5E7G9J1M3P5R7T',
  eventType: 'delivery.cancelled',
  occurredAt: '2026-03-02T15:03:00.000Z',
  livemode: false,
  previousStatus: 'accepted',
  delivery: {
    ...updated,
    status: 'cancelled',
    statusReasonCode: 'cancelled_by_merchant',
    statusReason: 'The merchant cancelled the delivery.',
    updatedAt: '2026-03-02T15:03:00.000Z',
  },
}

export const driverEvent: DriverEvent = {
  eventId: 'evt_01KJQN6H2B4D6F8H0K2N4Q6S8V',
  eventType: 'driver.duty_changed',
  occurredAt: '2026-03-02T16:00:00.000Z',
  livemode: false,
  driver: { id: driver.id, name: driver.name, onDuty: false },
}

export const installationEvent: InstallationEvent = {
  eventId: 'evt_01KJQN7J3C5E7G9J1M3P5R7T9W',
  eventType: 'installation.access_policy_changed',
  occurredAt: '2026-03-02T17:00:00.000Z',
  livemode: false,
  changed: ['fpconLevel', 'accessLevel'],
  affectedDeliveryCount: 3,
  installation: {
    ...installation,
    accessLevel: 'escort_required',
    fpconLevel: 'bravo',
    policyUpdatedAt: '2026-03-02T17:00:00.000Z',
  },
}

export const events: EventPage = {
  events: [
    {
      eventId: deliveryEvent.eventId,
      eventType: deliveryEvent.eventType,
      occurredAt: deliveryEvent.occurredAt,
      livemode: false,
      deliveryId,
      deliveryAttempts: 1,
      lastDeliveryStatus: 'delivered',
      lastAttemptAt: '2026-03-02T15:03:00.250Z',
      data: deliveryEvent,
    },
  ],
  nextCursor: null,
}

interface ErrorExample {
  message: string
  details?: ErrorBody['error']['details']
}

const reference = order.clientOrderReference

/** The service's message for each code; the wording can change. */
const errors: Readonly<Record<KnownErrorCode, ErrorExample>> = {
  VALIDATION_ERROR: {
    message: 'The request does not fit the contract: pickup.storeReference is required.',
    details: { fieldErrors: [{ field: 'pickup.storeReference', code: 'REQUIRED', message: 'is required' }] },
  },
  INVALID_ADDRESS: { message: 'The address cannot be found: the postal code is not in North Carolina.' },
  INVALID_PHONE_NUMBER: {
    message: 'dropoff.contactPhone is not a phone number in E.164.',
    details: {
      fieldErrors: [{ field: 'dropoff.contactPhone', code: 'INVALID', message: 'is not a phone number in E.164' }],
    },
  },
  INVALID_TIME_CONSTRAINT: { message: 'timeWindows.dropoff: its end is before its start.' },
  INVALID_STORE_REFERENCE: { message: 'No store "STORE-999" is registered.' },
  INVALID_TEAM_REFERENCE: { message: 'No team "team_west" exists.' },
  UNSUPPORTED_REQUIREMENT: { message: 'verification.dropoff.pinCode is not supported by any provider here.' },
  UNSUPPORTED_DESTINATION: { message: 'The address leads nowhere that is served: it is a post office box.' },
  INSTALLATION_NOT_SERVED: { message: 'No delivery goes to the installation "FTBRAGG".' },
  INSTALLATION_NOT_ACCEPTING_DELIVERIES: { message: 'Fort Bragg takes no commercial deliveries at the moment.' },
  PROHIBITED_CARGO_FOR_DESTINATION: { message: 'Fort Bragg prohibits controlled_cargo.' },
  NO_ELIGIBLE_PROVIDERS: { message: 'No provider serves this order: it is too heavy.' },
  NO_CREDENTIALED_DRIVER_AVAILABLE: { message: 'No driver with a credential for Fort Bragg is available.' },
  QUOTES_NOT_SUPPORTED: { message: 'Quotes are not enabled for the account.' },
  QUOTE_EXPIRED: { message: 'The quote qot_01KJQN5C2S4V6X8Z0B2D4F6H8K has expired. Ask for a new one.' },
  DUPLICATE_ORDER: { message: `A delivery with the reference "${reference}" exists.` },
  IDEMPOTENCY_KEY_REUSED: { message: 'The idempotency key was used before, with another body.' },
  IDEMPOTENCY_CONFLICT: { message: 'A request with the same idempotency key is still being processed.' },
  DELIVERY_NOT_FOUND: { message: `No delivery "${deliveryId}" exists.` },
  DRIVER_NOT_FOUND: { message: 'No driver "drv_01" exists.' },
  INSTALLATION_NOT_FOUND: { message: 'No installation "FTBRAGG" exists.' },
  INVALID_STATE_TRANSITION: { message: 'The delivery is delivered, which is final.' },
  SANDBOX_ONLY: { message: 'Deliveries can be simulated only with a key of the sandbox.' },
  UNAUTHORIZED: { message: 'The API key is missing or unknown.' },
  RATE_LIMIT_EXCEEDED: { message: 'Too many requests. Try again in 1 second.' },
  SERVICE_UNAVAILABLE: { message: 'The service is unavailable for a short time. Try again.' },
  INTERNAL_ERROR: { message: 'Something went wrong. The request id helps support to find out what.' },
}

export function errorExample(code: KnownErrorCode): ErrorBody {
  return { error: { code, requestId: 'req_01KJQN5G3B5D7F9H1K3N5Q7S9V', ...errors[code] } }
}
