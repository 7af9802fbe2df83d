/** Signed webhooks: sign, verify, explain, send, replay, receive. */

export {
  type DeliveryEvent,
  extra,
  isDeliveryEvent,
  isDriverEvent,
  isInstallationEvent,
  isWebhookEvent,
  SignatureError,
  type WebhookEvent,
} from '../contract/index.js'
export { maskPersonalData } from '../shared/mask-personal-data.js'
export * from './conformance/index.js'
export { type Explanation, explainFailure, type FailedRequest, type NamedSecret } from './explain-failure.js'
export { type EventPagesOptions, eventPages, type FetchEventPage } from './follow-events.js'
export type { HeaderSource } from './header-lines.js'
export { type ListedEvent, type ListedEvents, readListedEvents } from './listed-events.js'
export {
  isAccepted,
  type Post,
  type PostConnections,
  type PostFailure,
  type PostResult,
  post,
  postConnections,
} from './post.js'
export { expressReceiver } from './receivers/express.js'
export { fastifyReceiver } from './receivers/fastify.js'
export { fetchReceiver, honoReceiver } from './receivers/fetch.js'
export type { HandlerOutcome, ReceiverOptions, Secrets } from './receivers/receiver.js'
export { type SeenIds, seenIdsInMemory } from './receivers/receiver.js'
export {
  type ReplayableEvent,
  type ReplayClock,
  type ReplayInput,
  type ReplayProgress,
  type ReplayProgressFile,
  type ReplayResult,
  replayableHeaders,
  replayEvents,
  replayProgressFile,
  type SendInput,
  type Sent,
  sendEvent,
  webhookHeaders,
} from './replay.js'
export { type SampleEvent, type SampleOptions, sampleEvent } from './sample-event.js'
export type { ParsedSecret, SecretReading } from './secret.js'
export { newSecret, parseSecret } from './secret.js'
export { type SignatureHeaders, type SignedContent, sign, signatureHeaders } from './signature.js'
export {
  type Acceptance,
  answerStatusOf,
  type Mistake,
  mistakes,
  type Rejection,
  unreadableBody,
  type Verdict,
  type VerdictReason,
  verdictReasons,
} from './verdict.js'
export { defaultMaxBodyBytes, type VerifyInput, verify } from './verify.js'
