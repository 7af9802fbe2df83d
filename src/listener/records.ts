import type { WebhookEvent } from '../contract/index.js'
import type { EventSource } from './journal/event.js'

/** The records that a listener reports, one for each thing that happens: the lines of `listen -o ndjson`. */
export type ListenerRecord = ReadyRecord | EventReceivedRecord | RejectedRecord | AnsweredRecord | ForwardedRecord

/** It has posted to itself, and can be posted to. */
export interface ReadyRecord {
  /** Tells the kinds of records apart. */
  type: 'ready'
  /** The address that receives webhooks; absent if it only forwards. */
  url?: string
  /** The address of `/livez`, `/readyz` and `/metrics`, if enabled. */
  adminUrl?: string
  /** The journal's file, or its address without a password; the files of several accounts, one after the other. */
  journal: string
  /** The address of the inspector, if it is shown beside. */
  uiUrl?: string
}

/** An event that was verified and is on disk. */
export interface EventReceivedRecord {
  /** Tells the kinds of records apart. */
  type: 'event'
  /** The account whose secret verified it; absent if the listener names none. */
  account?: string
  /** The `webhook-id`, the same however often the event is sent. */
  eventId: string
  /** `null` for signed JSON that is not an event. */
  eventType: string | null
  /** The delivery that the event is about; `null` if it names none. */
  deliveryId: string | null
  /** As the event says, in RFC 3339; `null` for signed JSON that is not an event. */
  occurredAt: string | null
  /** On the listener's clock, in RFC 3339. */
  receivedAt: string
  /** Always: what cannot be verified is a `rejected` record. */
  verified: true
  /** The name of the secret that verified it. */
  secret: string
  /** The place of that secret among those of its account, counted from 1. */
  secretNumber: number
  /** Number of secrets of the account. */
  secretCount: number
  /** It had come before; nothing was kept or forwarded again. */
  duplicate: boolean
  /** Its id had come before with another body: the first one is kept, this one is set aside. */
  conflict: boolean
  /** The source of the event. */
  source: EventSource
  /** Problems that do not cause a rejection, such as a short key. */
  warnings: string[]
  /** `null` for signed JSON that is not an event. */
  event: WebhookEvent | null
}

/** A request that was not taken. */
export interface RejectedRecord {
  /** Tells the kinds of records apart. */
  type: 'rejected'
  /** A word for programs, such as `headers_too_large`. */
  reason: string
  /** Of the HTTP response that it got. */
  status: number
  /** The problem, as a sentence. */
  message: string
  /** How to fix it; absent if that is not known. */
  hint?: string
  /** The `webhook-id` that the request had; nothing has verified it. */
  webhookId?: string
  /**
   * Number of further requests that were rejected for the same reason since the last record; present only if there are
   * thousands.
   */
  count?: number
}

/** A verified webhook that was answered with an error or late on purpose. */
export interface AnsweredRecord {
  /** Tells the kinds of records apart. */
  type: 'answered'
  /** The `webhook-id`, the same however often the event is sent. */
  eventId: string
  /** `null` for signed JSON that is not an event. */
  eventType: string | null
  /** The delivery that the event is about; `null` if it names none. */
  deliveryId: string | null
  /** `null` for a connection that was reset. */
  status: number | null
  /** The delay of the response. */
  delayMs: number
  /** Whether the event is in the journal: only if it got a 2xx, too late or not. */
  kept: boolean
}

/** An attempt to pass an event on. */
export interface ForwardedRecord {
  /** Tells the kinds of records apart. */
  type: 'forwarded'
  /** The account whose secret verified it; absent if the listener names none. */
  account?: string
  /** The `webhook-id`, the same however often the event is sent. */
  eventId: string
  /** `null` for signed JSON that is not an event. */
  eventType: string | null
  /** The delivery that the event is about; `null` if it names none. */
  deliveryId: string | null
  /** The order's own reference, as the event has it; absent if it has none. */
  reference?: string
  /** The target, without user, password and query. */
  url: string
  /** `null` if there was no response. */
  status: number | null
  /** From sending to the end of the answer, or to the failure. */
  durationMs: number
  /** Counted from 1. */
  attempt: number
  /** Whether the target answered 2xx. */
  delivered: boolean
  /** Signed again because the original signature was too old to be taken. */
  signedAgain: boolean
  /** Why there was no response, or where a redirect leads, which is not followed. */
  error?: string
  /** Given if the answer took longer than 5 s: the service gives up after 10 s. */
  warning?: string
  /** The target's answer, if it was asked for. */
  body?: string
  /** When the next attempt follows; absent after a success and after the last attempt. */
  retryInMs?: number
  /** It was the last attempt, and failed: the event is kept, and sent no more unless somebody asks for it. */
  givenUp?: true
}

/** Delays records until the listener is ready, so that the ready record comes first. */
export function heldUntilReady(report: (record: ListenerRecord) => void) {
  let held: ListenerRecord[] | undefined = []
  return {
    onRecord(record: ListenerRecord) {
      if (held === undefined) report(record)
      else held.push(record)
    },
    release(ready: ListenerRecord) {
      for (const record of [ready, ...(held ?? [])]) report(record)
      held = undefined
    },
  }
}
