import type { WebhookEvent } from '../contract/index.js'

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

export type VerdictReason = keyof typeof verdictReasons

/** A request that the holder of a secret signed, recently, with exactly this body. */
export interface Acceptance {
  ok: true
  id: string
  timestampSeconds: number
  /** Which of the given secrets matched, counted from 0. */
  secretIndex: number
  /** How far the sender's clock was ahead of ours when it signed; negative for an older signature. */
  skewSeconds: number
  /**
   * The event, where the body is one. `undefined` for a body that is well signed but empty, not JSON or no event:
   * a receiver answers 400 to the first two. Beyond the envelope it is what the service sent, unchecked.
   */
  event?: WebhookEvent
  /** What the body is: only `not-json` and `empty` deserve a refusal. */
  content: 'event' | 'json' | 'not-json' | 'empty'
  /** What is allowed but worth a look, such as a short key. */
  warnings: string[]
}

export interface Rejection {
  ok: false
  reason: VerdictReason
  /** One sentence, with the values concerned and never a secret. */
  message: string
  /** What to do about it, where that is known. */
  hint?: string
  /** The header that is missing, doubled or malformed. */
  header?: string
}

export type Verdict = Acceptance | Rejection

/** The HTTP status with which a receiver answers: 200 accepted, 400 signed but not JSON, 4xx by the reason. */
export function answerStatusOf(verdict: Verdict): number {
  if (!verdict.ok) return verdictReasons[verdict.reason]
  return verdict.content === 'not-json' || verdict.content === 'empty' ? 400 : 200
}
