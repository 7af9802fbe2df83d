/** Exports for the other modules of this package, beyond the public entry. */

export { maskNamesAndPhones } from '../shared/mask-personal-data.js'
export { readDeliveryState } from './conformance/probe.js'
export { type ExportedEvent, type ExportFormat, exportEvent, exportFormats, pathOf } from './export/index.js'
export { type FollowClock, type FollowOptions, followEvents, followPauseMs } from './follow-events.js'
export { redirectText } from './post.js'
export {
  forgottenText,
  lookBack,
  type PullPosition,
  readPosition,
  repairPosition,
  serviceTime,
  startOfListing,
  writePosition,
} from './pull-position.js'
export { collectBody, readBody } from './receivers/request-body.js'
export { eventIdOf } from './sample-event.js'
export { fingerprintOf, isSameSecret, namedKey, weakFingerprint } from './secret.js'
export { isEncoded } from './verify.js'
export { fromUtf16, requestsHeldIn } from './wrapped-body.js'
