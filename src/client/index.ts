/** The typed HTTP layer: one method an operation, with retries, deadlines, pacing, pages and idempotency keys. */
export * from './client.js'
export * from './client-options.js'
export { type Clock, systemClock } from './clock.js'
export { describeSkew } from './clock-skew.js'
export { formatSpan } from './deadline.js'
export type { Exchange } from './exchange.js'
export { fetchTransport } from './fetch-transport.js'
export { bodyHashOf, cancelKeyOf, idempotencyKeyOf, keyLifeMs, newIdempotencyKey } from './idempotency-key.js'
export { type NetworkOptions, networkTransport } from './network-transport.js'
export { createPacer, type Pacer, type Permit } from './pacer.js'
export type { ItemOf, PagedName, QueryOf } from './pages.js'
export { checkBaseUrl } from './path.js'
export type { RawReply, RawRequest } from './raw.js'
export { redactBody, redactHeaders, redactJson, redactText } from './redaction.js'
export {
  defaultRetryLimits,
  isOutcomeUnknown,
  type Repeatability,
  type RetryLimits,
  retryDelayMs,
} from './retry.js'
export { createRetryBudget, type RetryBudget } from './retry-budget.js'
export * from './run/index.js'
export type { HeaderReader, Transport, TransportReply, TransportRequest } from './transport.js'
