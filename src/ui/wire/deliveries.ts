import type { Delivery } from '../../contract/index.js'
import type { SentFacts } from '../../trade/sent-facts.js'
import type { Move } from '../../trade/statuses.js'
import type { StoryFacts } from '../../trade/story.js'
import type { DeliverySummary, LiveItem } from './live.js'

/** Every active delivery, and the newest of those that have ended. */
export interface Board {
  deliveries: DeliverySummary[]
  /** There are more deliveries than are shown. */
  isCut: boolean
}

/** A field of a request: its path on the wire, and how to ask for it. */
export interface FormField {
  path: string
  type: 'text' | 'integer' | 'boolean' | 'choice' | 'list' | 'json'
  required: boolean
  maxLength?: number
  choices?: string[]
  /** Shown while the field is empty. */
  example?: string
  /** The present value, or the one of an example, as text. */
  value: string
}

export interface Point {
  latitude: number
  longitude: number
}

/** A code in words, as `dlv explain` has it. */
export interface Explained {
  code: string
  meaning: string
  /** Whether and when to try again. */
  retry: string
  /** Commands to run next, without `dlv`. */
  next: string[]
}

/** An event of a delivery, without its body. */
export interface EventSummary {
  eventId: string
  eventType: string
  occurredAt: string
  lastDeliveryStatus: string | null
  deliveryAttempts: number | null
}

export interface DeliveryDetail {
  /** The profile of its account, if the page shows several. */
  account?: string
  /** Names and phones are masked unless asked for. */
  delivery: Delivery
  isMasked: boolean
  /** By which it is judged whether the delivery is late or stuck, and its story is told. */
  story: StoryFacts
  /** The meaning of its status and reason, if it is in trouble or ended without success. */
  explained: Explained[]
  /** Legal moves only; none if the account is not a sandbox. */
  moves: Move[]
  /** The fields that an update may change at this stage; none once the delivery has ended. */
  editable: FormField[]
  canCancel: boolean
  /** The fee for cancelling now; `null` if only the service knows it. */
  cancellationFeeNowCents: number | null
  package: Record<string, unknown> | null
  /** What was sent from this machine; `null` for an order of another. */
  sent: SentFacts | null
  events: EventSummary[]
  requests: LiveItem[]
  /** The estimates that were sent, oldest first. */
  etas: { at: string; pickup: string | null; dropoff: string | null }[]
  /** The driver's locations, oldest first. */
  trail: (Point & { at: string })[]
  /** The store, and the dropoff at the centre of its ZIP code; `null` if they are not known. */
  route: { store: Point; stop: Point } | null
}

/** The message of an action that succeeded. */
export interface Done {
  message: string
  deliveryId?: string
  eventId?: string
}
