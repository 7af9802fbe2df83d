import type { limits } from './limits.js'

/** Members of responses and events that have to be there, and what the contract says of them. */
export interface ReliedMembers {
  /** Each after the name of its schema. */
  members: readonly string[]
  /** What the contract says, in its words. */
  text: string
}

/**
 * Every member without which an answer cannot be read. The contract does not show which members are required: each is one
 * that names a thing, or is all that an answer is there for.
 */
export const reliedMembers: readonly ReliedMembers[] = [
  { members: ['Capabilities.accountType'], text: 'accountType | string: `marketplace` or `owned_fleet`' },
  { members: ['Capabilities.capabilities'], text: "discover the account's feature flags (`GET /capabilities`)" },
  { members: ['Health.status'], text: '`status` (`healthy` or `degraded`) and `checkedAt` (timestamp)' },
  { members: ['Delivery.deliveryId', 'SimulateResponse.deliveryId'], text: 'deliveryId | string' },
  { members: ['Delivery.status'], text: 'status | string, see States and transitions' },
  {
    members: ['DeliveryPage.deliveries', 'DeliveryListItem.deliveryId', 'DeliveryListItem.status'],
    text: 'array of items with deliveryId, clientOrderReference, status, createdAt, updatedAt',
  },
  { members: ['ProofOfDelivery.type'], text: 'array of {type, stage, url, capturedAt}' },
  {
    members: ['DriverLocation.latitude', 'DriverLocation.longitude'],
    text: 'location {latitude (number), longitude (number), updatedAt}',
  },
  {
    members: ['QuoteResponse.quotes', 'Quote.quoteId', 'Quote.totalPriceCents'],
    text: 'array of {quoteId, carrierId, carrierName, currency, totalPriceCents, pickupEta, dropoffEta}; may be empty',
  },
  { members: ['DriverProfile.id'], text: 'GET | /drivers/{driverId}' },
  { members: ['Team.id'], text: '`id` (string), `name` (string), `workerCount` (integer)' },
  { members: ['Installation.code'], text: 'code | string' },
  {
    members: ['InstallationPage.installations', 'InstallationListItem.code'],
    text: 'The list form returns a subset (code, name, branch, state',
  },
  {
    members: ['Gate.name'],
    text: 'array of {name, commercialVehiclesPermitted (boolean), hours (string), timezone (IANA name)}',
  },
  { members: ['Serviceability.serviceable'], text: 'serviceable | boolean' },
  { members: ['Serviceability.installation.code'], text: '{code, name, accessLevel, fpconLevel}' },
  { members: ['EventPage.events'], text: 'Page: `events` and `nextCursor`' },
  {
    members: ['EventRecord.eventId', 'EventRecord.eventType', 'EventRecord.occurredAt'],
    text: '`eventId`, `eventType`, `occurredAt`, `livemode` (boolean), `deliveryId`',
  },
  { members: ['EventRecord.data'], text: '`data` (the event payload)' },
  {
    members: ['WebhookEvent.eventId', 'DeliveryEvent.eventId', 'DriverEvent.eventId'],
    text: 'eventId | dedupe key; equals header `webhook-id`',
  },
  {
    members: ['WebhookEvent.eventType', 'DeliveryEvent.eventType', 'DriverEvent.eventType'],
    text: 'eventType | namespaced identifier',
  },
  {
    members: ['WebhookEvent.occurredAt', 'DeliveryEvent.occurredAt', 'DriverEvent.occurredAt'],
    text: 'occurredAt | timestamp',
  },
  { members: ['DeliveryEvent.delivery'], text: 'delivery | full delivery snapshot at the time of the event' },
  { members: ['DriverEvent.driver'], text: 'Driver events use `driver` instead of `delivery`' },
  {
    members: ['eventId', 'eventType', 'occurredAt', 'changed', 'affectedDeliveryCount', 'installation'].map(
      (name) => `InstallationEvent.${name}`,
    ),
    text: 'Payload: `eventId`, `eventType`, `occurredAt`, `livemode`, `changed` (array of changed field names',
  },
  {
    members: ['SimulateResponse.status', 'SimulateResponse.emittedEvents'],
    text: '`livemode` (false), `status`, `emittedEvents` (array of event types)',
  },
  {
    members: ['ErrorBody.error', 'ErrorBody.error.code', 'ErrorBody.error.message'],
    text: '`error` {`code` (string enum), `message` (string, human, not to be parsed)',
  },
  {
    members: ['FieldError.field', 'FieldError.code'],
    text: '`details.fieldErrors` is an array of {`field` (JSON-path-style pointer), `code`',
  },
]

/** Every limit and default, and what the contract says of it. */
export const reliedValues: Readonly<Record<keyof typeof limits | 'webhookRetryDelaysSeconds' | 'currency', string>> = {
  defaultRequestsPerSecond: '20 requests per second per API key by default (`capabilities.maxRequestsPerSecond`)',
  pageSizeMin: '1 to 100, default 50',
  pageSizeMax: '1 to 100, default 50',
  pageSizeDefault: '1 to 100, default 50',
  clientOrderReferenceMaxLength: '`clientOrderReference` query | max 128 characters',
  idempotencyKeyMaxLength: 'max 128 characters; retained 24 hours',
  idempotencyRetentionHours: 'max 128 characters; retained 24 hours',
  instructionsMaxLength: '`dropoff.instructions` | 280 characters',
  eventRetentionDays: '30 days; `since` max age 30 days; default `since` 24 hours ago',
  eventsDefaultSinceHours: '30 days; `since` max age 30 days; default `since` 24 hours ago',
  webhookToleranceSeconds: '5 minutes either direction',
  webhookResponseTimeoutSeconds: 'A receiver answers 2xx within 10 seconds',
  webhookAttempts: '8 over about 28 hours',
  webhookRetryDelaysSeconds:
    'delays before attempts 1 to 8 are immediate, 5 seconds, 5 minutes, 30 minutes, 2 hours, 5 hours, 10 hours, 10 hours',
  // A bound of this program: the contract leaves both open.
  cancelReasonMaxLength: 'lengths and formats of individual fields are not shown',
  cancelReasonNotesMaxLength: 'lengths and formats of individual fields are not shown',
  currency: 'integer cents; USD is the default currency',
}
