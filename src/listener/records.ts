import type { WebhookEvent } from '../contract/index.js'
import type { EventSource } from './journal/journal.js'

/** What a listener reports, one record for each thing that happened: the lines of `listen -o ndjson`. */
export type ListenerRecord = ReadyRecord | EventReceivedRecord | RejectedRecord | AnsweredRecord | ForwardedRecord

/** It has posted to itself, and can be posted to. */
export interface ReadyRecord {
  type: 'ready'
  /** Where webhooks are taken; absent if it only forwards. */
  url?: string
  /** Where `/livez`, `/readyz` and `/metrics` are, if that was asked for. */
  adminUrl?: string
  /** How many processes read and verify the requests, if not this one alone. */
  workers?: number
  /** The journal's file, or its address without a password. */
  journal: string
  /** The address of the inspector, if it is shown beside. */
  uiUrl?: string
}

/** An event that was verified and is on disk. */
export interface EventReceivedRecord {
  type: 'event'
  eventId: string
  eventType: string | null
  deliveryId: string | null
  occurredAt: string | null
  receivedAt: string
  verified: true
  /** The name of the secret that verified it, and its number among those given, counted from 1. */
  secret: string
  secretNumber: number
  secretCount: number
  /** It had come before; nothing was kept or forwarded again. */
  duplicate: boolean
  /** Its id had come before with another body: the first one is kept, this one is set aside. */
  conflict: boolean
  source: EventSource
  warnings: string[]
  /** `null` for signed JSON that is no event. */
  event: WebhookEvent | null
}

/** A request that was not taken. */
export interface RejectedRecord {
  type: 'rejected'
  reason: string
  status: number
  message: string
  hint?: string
  /** The `webhook-id` that the request had; nothing has verified it. */
  webhookId?: string
  /** How many more were turned away like this since the last record; given if they come by the thousand. */
  count?: number
}

/** A verified webhook that was answered badly on purpose. */
export interface AnsweredRecord {
  type: 'answered'
  eventId: string
  eventType: string | null
  deliveryId: string | null
  /** `null` for a connection that was reset. */
  status: number | null
  /** How long the answer was held back. */
  delayMs: number
  /** Whether the event is in the journal: only if it got a 2xx, too late or not. */
  kept: boolean
}

/** An attempt to pass an event on. */
export interface ForwardedRecord {
  type: 'forwarded'
  eventId: string
  eventType: string | null
  deliveryId: string | null
  url: string
  /** `null` if no answer came. */
  status: number | null
  durationMs: number
  attempt: number
  delivered: boolean
  /** Signed again because the original signature was too old to be taken. */
  signedAgain: boolean
  /** Why no answer came. */
  error?: string
  warning?: string
  /** The target's answer, if it was asked for. */
  body?: string
  /** When the next attempt follows; absent after a success and after the last attempt. */
  retryInMs?: number
}
