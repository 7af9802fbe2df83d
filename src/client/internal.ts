/** What the other modules of this package use of the client beyond its public entry. */
export { findExisting } from './create-once.js'
export { parseHttpDate } from './http-date.js'
export { encodeSegment } from './path.js'
export { readRefusal } from './response/response.js'
export { startDeadline } from './retry/deadline.js'
export { isRateLimited, retryAfterOf } from './retry/retry.js'
export { proxyFor } from './transport/proxy.js'
export { compareUpdate } from './unknown-outcome.js'
