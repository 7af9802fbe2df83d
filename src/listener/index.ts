/** The receiver: verified events, kept on disk before they are acknowledged, and passed on. */

export { type FollowClock, type FollowOptions, followEvents } from '../webhooks/internal.js'
export type { ForwardOptions } from './forward/forwarder.js'
export { checkRoutes, matchesType, type Route, targetsOf } from './forward/routes.js'
export { findGaps, type Gap } from './gaps.js'
export type { BadAnswers } from './http/response.js'
export type { CertificatePair } from './http/server.js'
export type { Appended, EventSource, JournalEntry, JournalEvent, ListenerSecret } from './journal/event.js'
export type { ForwardState } from './journal/forwards.js'
export type { Journal, JournalFailure, JournalOptions } from './journal/journal.js'
export { examineJournal, openJournal, readJournal, recordResend, removeTarget } from './journal/open.js'
export type {
  JournalFilter,
  JournalFinding,
  JournalReader,
  JournalStatus,
  JournalTarget,
  OtherAccount,
} from './journal/reader.js'
export { defaultListenerLimits, type ListenerLimits } from './limits.js'
export { startListener } from './listener.js'
export type { Listener, ListenerOptions } from './options.js'
export { fixPullStart, type PullOptions, pullEvents } from './pull-events.js'
export type {
  AnsweredRecord,
  EventReceivedRecord,
  ForwardedRecord,
  ListenerRecord,
  ReadyRecord,
  RejectedRecord,
} from './records.js'
