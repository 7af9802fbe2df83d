import type { AttemptSummary } from './events.js'

/** An endpoint that the sandbox sends webhooks to. */
export interface ReceiverSummary {
  /** The profile of its account, if the page shows several. */
  account?: string | undefined
  id: string
  url: string
  kind: string
  disabled: boolean
  consecutiveFailures: number
}

/** An event whose webhook was sent. */
export interface SentEventSummary {
  /** The profile of its account, if the page shows several. */
  account?: string | undefined
  eventId: string
  eventType: string
  occurredAt: string
  deliveryId: string | null
  reference: string | null
  lastDeliveryStatus: string
  deliveryAttempts: number
  lastAttemptAt: string | null
}

/** A webhook that is still to be sent. */
export interface DueWebhook {
  /** The profile of its account, if the page shows several. */
  account?: string | undefined
  eventId: string
  eventType: string
  deliveryId: string | null
  url: string | null
  attempt: number
  dueAt: string
}

/** A secret by its name and a fingerprint; never the secret. */
export interface SecretSummary {
  /** The profile of its account, if the page shows several. */
  account?: string | undefined
  name: string
  fingerprint: string
  /** Number of events that it has verified in this process; `null` without a listener. */
  verified: number | null
  /** The service signs with it. */
  isActive: boolean | null
}

export interface WebhookOverview {
  receivers: ReceiverSummary[]
  /** The newest of those that match the search. */
  events: SentEventSummary[]
  /** Number of matches. */
  matching: number
  /** Which events were looked through: all that the sandbox has sent, those of a day, or only the newest of them. */
  reach: 'all' | 'day' | 'newest'
  attempts: (AttemptSummary & { account?: string | undefined; eventId: string; eventType: string | null })[]
  due: DueWebhook[]
  secrets: SecretSummary[]
  canSend: boolean
  canFetch: boolean
}

/** An event of the service's list that never arrived. */
export interface GapSummary {
  eventId: string
  eventType: string | null
  occurredAt: string | null
  deliveryId: string | null
  lastDeliveryStatus: string | null
}

export interface GapList {
  gaps: GapSummary[]
  /** The period that was searched. */
  since: string
  isCut: boolean
}

/** One case of the examination of a receiver. */
export interface CaseSummary {
  id: string
  title: string
  rule: string
  status: string
  reason: string
  durationMs: number
}

/** The examination of a receiver, as far as it is. */
export interface ReceiverTest {
  testId: string
  url: string
  isOver: boolean
  cases: CaseSummary[]
  /** `null` until it is over. */
  passed: boolean | null
  brokenRules: { title: string; advice: string }[]
  failure: string | null
}
