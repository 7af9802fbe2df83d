import type { WebhookEvent } from '../contract/index.js'
import { maxJsonDepth } from '../shared/json.js'

/** Why a request is not taken for a webhook, with the HTTP status that a receiver should answer. */
export const verdictReasons = {
  content_encoding: 415,
  body_too_large: 413,
  missing_header: 400,
  duplicate_header: 400,
  malformed_id: 400,
  malformed_timestamp: 400,
  malformed_signature: 400,
  body_not_raw: 500,
  no_usable_secret: 500,
  no_matching_signature: 401,
  timestamp_too_old: 401,
  timestamp_too_new: 401,
  event_id_mismatch: 400,
} as const

/** Why a request is rejected. */
export type VerdictReason = keyof typeof verdictReasons

/** Bodies that are well signed and cannot be read: the code with which a receiver answers 400, and what is wrong. */
export const unreadableContents = {
  empty: { code: 'empty_body', message: 'the body is empty' },
  'not-json': { code: 'not_json', message: 'the body is not JSON' },
  'too-deep': { code: 'too_deep', message: `the body is nested deeper than ${maxJsonDepth} levels` },
} as const

type UnreadableContent = keyof typeof unreadableContents

/** A request that the holder of a secret signed, recently, with exactly this body. */
export interface Acceptance {
  /** The signature is good. */
  ok: true
  /** The header `webhook-id`. */
  id: string
  /** When it was sent, as Unix time. */
  timestampSeconds: number
  /** Which of the given secrets matched, counted from 0. */
  secretIndex: number
  /** How far the sender's clock was ahead of ours when it signed; negative for an older signature. */
  skewSeconds: number
  /**
   * The event, if the body is one. `undefined` for a body that is well signed but not an event. Beyond the envelope it is
   * what the service sent, unchecked.
   */
  event?: WebhookEvent
  /** The kind of body: a receiver rejects those in `unreadableContents`. `too-deep` is JSON of more than 200 levels. */
  content: 'event' | 'json' | UnreadableContent
  /** Problems that do not cause a rejection, such as a short key. */
  warnings: string[]
}

/** A request that cannot be trusted, and why. */
export interface Rejection {
  /** The request cannot be trusted. */
  ok: false
  /** Why, as a word to branch on. */
  reason: VerdictReason
  /** One sentence, with the values concerned and never a secret. */
  message: string
  /** How to fix it, if that is known. */
  hint?: string
  /** The header that is missing, doubled or malformed. */
  header?: string
}

/** The result of verifying a request: `ok` tells which. */
export type Verdict = Acceptance | Rejection

/** Why a well-signed body cannot be read; `undefined` if it can. */
export function unreadableBody({ content }: Acceptance):
  | {
      /** The code with which a receiver answers. */
      code: string
      /** The problem with the body. */
      message: string
    }
  | undefined {
  return content === 'event' || content === 'json' ? undefined : unreadableContents[content]
}

/** The HTTP status of a receiver's response: 200 accepted, 400 signed but unreadable, else by the reason. */
export function answerStatusOf(verdict: Verdict): number {
  if (!verdict.ok) return verdictReasons[verdict.reason]
  return unreadableBody(verdict) === undefined ? 200 : 400
}
