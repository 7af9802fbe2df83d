import type { Position } from '../../shared/math.js'
import type { PromiseSource } from '../../trade/promise.js'
import type { Tone } from '../../trade/statuses.js'

/**
 * request: to the service; event: recorded by the service; attempt: to send a webhook; webhook: received by our
 * listener; forward: from the journal to a target; rejected: turned away by our listener.
 */
export type LiveKind = 'request' | 'event' | 'attempt' | 'webhook' | 'forward' | 'rejected'
/** In the order in which one leads to the next. */
export const liveKinds: readonly LiveKind[] = ['request', 'event', 'attempt', 'rejected', 'webhook', 'forward']

/** How a line went; `warn` is tried again. */
export type Outcome = Exclude<Tone, 'active'>

/** One line of the stream. */
export interface LiveItem {
  /** Grows with arrival; also the id of the server-sent event that brings it. */
  id: number
  kind: LiveKind
  /** The profile of its account, if the page shows several; absent for what belongs to none, such as a forged webhook. */
  account?: string
  /** RFC 3339. */
  at: string
  /**
   * Its time on this machine's clock when it arrived, in milliseconds since the epoch. Lines are ordered by it: `at` is
   * of the service's clock for requests, events and attempts, which a sandbox can move in both directions.
   */
  placeMs: number
  /** An event's type, or the method and path of a request. */
  title: string
  /** A word or number such as `201`, `verified` or `retrying`. */
  status: string
  outcome: Outcome
  deliveryId?: string
  reference?: string
  eventId?: string
  requestId?: string
  /** More of it in words: an error, a target. */
  detail?: string
  attempt?: number
  durationMs?: number
  /** The delivery as the event left it. */
  delivery?: DeliverySummary
}

/** A delivery as the board shows it. */
export interface DeliverySummary {
  /** The profile of its account, if the page shows several. */
  account?: string
  deliveryId: string
  reference: string
  status: string
  createdAt: string | null
  updatedAt: string | null
  store?: string
  /** When it got its status, as far as that is known. */
  since?: string
  /** The estimated arrival at the dropoff, first and now. */
  firstEta?: string
  eta?: string
  /** When it was promised; its first ETA if it was not. */
  promise?: { by: string; source: PromiseSource }
  /** The time of the driver's last position. */
  positionAt?: string
  /** The driver's name, masked. */
  driver?: string
  reason?: string
  /** The store, and the dropoff at the centre of its ZIP code. */
  from?: Position
  to?: Position
  /** The gate or installation that the way leads through. */
  gate?: string
  /** The driver's last position. */
  at?: Position
}

/** Whether the service's events are read, on which all that the page shows depends. */
export interface Reading {
  /** They have been read at least once: nothing shown means that nothing is there. */
  isRead: boolean
  /** Why they cannot be read now, and since when; RFC 3339, by this machine's clock. Of several accounts: none can. */
  failed?: ReadingFailure
  /** Those of several accounts that cannot be read, while others are. */
  failures?: (ReadingFailure & { account: string })[]
  /** Those of several accounts that have not answered yet. */
  waiting?: string[]
}

export interface ReadingFailure {
  since: string
  message: string
}

/** The lines that the page reads once; later lines arrive on the stream. */
export interface LiveBacklog {
  items: readonly LiveItem[]
  /** The id to continue after. */
  lastId: number
  reading: Reading
}
