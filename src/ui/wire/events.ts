/** The verdict on a webhook of a receiver with our secrets. */
export interface EventVerdict {
  state: 'verified' | 'rejected' | 'unknown'
  /** One sentence. */
  text: string
  /** How to fix a rejection. */
  hint: string | null
  /** The mistake, if the signature shows it, such as `body_reserialised`. */
  mistake: string | null
}

/** One try of the service to send the event's webhook. */
export interface AttemptSummary {
  attempt: number
  scheduledAt: string
  sentAt: string
  statusCode: number | null
  error: string | null
  durationMs: number
  outcome: string
  url: string | null
}

/** A target that the listener passes the event on to. */
interface ForwardSummary {
  url: string
  state: string
  attempts: number
  status: number | null
}

/** A field of the delivery that is another than in the event before; `null` if there was or is none. */
export interface FieldChange {
  path: string
  before: string | null
  after: string | null
}

export interface EventDetail {
  /** The profile of its account, if the page shows several. */
  account?: string
  eventId: string
  eventType: string
  occurredAt: string | null
  deliveryId: string | null
  reference: string | null
  /** Names and phones are masked unless asked for. */
  isMasked: boolean
  /** The body as it is sent, byte for byte but for what is masked. */
  body: string
  bodyBytes: number
  /** As received, or as the service would send them now. */
  headers: (readonly [name: string, value: string])[]
  receivedAt: string | null
  verdict: EventVerdict
  lastDeliveryStatus: string | null
  attempts: AttemptSummary[]
  /** The attempts that are still to come, on the service's clock. */
  next: { url: string | null; attempt: number; dueAt: string }[]
  forwards: ForwardSummary[]
  /** The delivery's previous event, which the changes are relative to. */
  previous: { eventId: string; eventType: string } | null
  following: { eventId: string; eventType: string } | null
  changes: FieldChange[]
  /** The service can be asked to send it again. */
  canSendAgain: boolean
  /** Addresses to send it to. */
  targets: string[]
}

export const copyFormats = ['curl', 'har', 'http', 'fixture', 'vitest'] as const
export type CopyFormat = (typeof copyFormats)[number]

/** The response of a target. */
export interface SentResult {
  message: string
  eventId: string
  /** The event is known here, so that its screen can be opened. */
  isKnown: boolean
}
