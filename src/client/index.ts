/** The typed HTTP layer: one method an operation, with retries, deadlines, pacing, pages and idempotency keys. */

export {
  ApiError,
  ConnectionError,
  type ConnectionFailure,
  ContractError,
  type Delivery,
  type DeliveryCreate,
  type DeliveryListItem,
  type DeliveryStatus,
  type DeliveryUpdate,
  DlvError,
  type DriverProfile,
  type ErrorCode,
  type EventRecord,
  extra,
  type InputOf,
  type Installation,
  type KnownDeliveryStatus,
  type KnownErrorCode,
  type OperationName,
  OutcomeError,
  type OutputOf,
  type Quote,
  QuoteRefusedError,
  type QuoteResponse,
  type RefusedField,
  type Serviceability,
  SignatureError,
  type Time,
  UsageError,
  type WebhookEvent,
} from '../contract/index.js'
export { JsonNumber } from '../shared/json-number.js'
export { cheapestQuote, type QuoteChoice } from './cheapest-quote.js'
export * from './client.js'
export { type Clock, systemClock } from './clock.js'
export {
  type CreatedOnce,
  createOnce,
  type IdentifiedOrder,
  OrderConflictError,
  type OrderHistory,
  type OrderLedger,
} from './create-once.js'
export { findByReference } from './find-by-reference.js'
export { bodyHashOf, cancelKeyOf, idempotencyKeyOf, keyLifeMs, newIdempotencyKey } from './idempotency-key.js'
export type { CallOptions, CallResult, ClientOptions } from './options.js'
export { orderDifferences } from './order-differences.js'
export type { Permit } from './pacing/pace.js'
export { createPacer, type Pacer } from './pacing/pacer.js'
export type { ItemOf, PagedName, QueryArguments, QueryOf } from './pages.js'
export { assertSecureBaseUrl } from './path.js'
export type { RawReply, RawRequest } from './raw.js'
export {
  createRetryBudget,
  defaultRetryLimits,
  isOutcomeUnknown,
  type RetryBudget,
  type RetryLimits,
  type RetrySafety,
  retryDelayMs,
} from './retry/retry.js'
export { describeSkew } from './service-clock.js'
export type { HttpTrace, Logger } from './trace/http-trace.js'
export { redactBody, redactHeaders, redactJson, redactText } from './trace/redaction.js'
export { fetchTransport } from './transport/fetch-transport.js'
export { type NetworkOptions, networkTransport } from './transport/network-transport.js'
export type { HeaderReader, RequestToSend, Transport, TransportReply, TransportRequest } from './transport/transport.js'
export type { WaitOptions } from './wait-for.js'
