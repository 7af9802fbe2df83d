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

/** The mistakes that make good webhooks fail, each with what happened and what to change. */
export const mistakes = {
  secret_not_decoded: {
    message: 'the secret was used as text, without decoding its base64',
    hint: 'Remove whsec_, then base64-decode the rest: those bytes are the key.',
  },
  secret_prefix_kept: {
    message: 'the secret was used with whsec_ still in front',
    hint: 'Remove whsec_ before decoding.',
  },
  secret_with_version: {
    message: 'the secret was used with "v1," in front',
    hint: '"v1," belongs to signatures; the secret starts with whsec_.',
  },
  other_secret: {
    message: 'the signature was made with another secret',
    hint: 'Is this the webhook of another environment, or an old secret after a rotation?',
  },
  body_reserialised: {
    message: 'the body was parsed and written again before it was signed or checked',
    hint: 'Verify the bytes as they arrived, before any JSON middleware: neither JSON.stringify nor json.dumps gives them back.',
  },
  body_newline: {
    message: 'a newline at the end of the body was added or dropped',
    hint: 'Keep the body byte for byte: editors, echo and shells add a newline; use printf or the --data-binary of curl.',
  },
  body_line_ends: {
    message: 'line ends of the body were changed between LF and CRLF',
    hint: 'Keep the body byte for byte: git and editors on Windows convert line ends.',
  },
  body_mark: {
    message: 'a byte order mark in front of the body was added or dropped',
    hint: 'Keep the body byte for byte: decoding to text drops the mark.',
  },
  body_recoded: {
    message: 'the body was read or written in another character set than UTF-8',
    hint: 'Verify the bytes as they arrived, and decode them as UTF-8 only afterwards.',
  },
  body_in_base64: {
    message: 'the body is in base64 on one side only',
    hint: 'Decode it first: a gateway says so with isBase64Encoded, and Pub/Sub holds its message.data in base64.',
  },
  body_in_json_string: {
    message: 'the body is written as a text within JSON, with quotes and backslashes',
    hint: 'Verify the text itself: parse that JSON once, or let jq -j print it without a newline.',
  },
  body_as_bytes: {
    message: "the body is its bytes as a program prints them, such as [123,34], 7b22 or b'{\"'",
    hint: 'Hand on the bytes themselves: JSON makes a list of numbers of a buffer, str() of Python and the bytea of PostgreSQL print theirs.',
  },
  body_in_utf16: {
    message: 'the body is in UTF-16, not in UTF-8',
    hint: "PowerShell's > and Out-File write UTF-16: use curl.exe -o FILE, or Out-File -Encoding utf8NoBOM -NoNewline.",
  },
  body_in_event: {
    message: 'the body is the whole event of a gateway or queue, with the webhook inside it',
    hint: 'Verify the body that it holds, such as event.body, decoded from base64 if isBase64Encoded is true.',
  },
  timestamp_in_ms: {
    message: 'the timestamp is in milliseconds',
    hint: 'webhook-timestamp is Unix time in whole seconds: Math.floor(Date.now() / 1000).',
  },
  id_and_timestamp_swapped: {
    message: 'the id and the timestamp were swapped',
    hint: 'The signed text is {webhook-id}.{webhook-timestamp}.{body}, in this order.',
  },
  parts_missing: {
    message: 'the id or the timestamp was left out of the signed text',
    hint: 'The signed text is {webhook-id}.{webhook-timestamp}.{body}, with both dots.',
  },
  signature_in_hex: {
    message: 'the signature is written in hex',
    hint: 'The scheme wants base64: digest("base64").',
  },
  signature_in_base64url: {
    message: 'the signature is in base64url or without padding',
    hint: 'The scheme wants the standard alphabet with + and /, padded with =.',
  },
  signature_without_version: {
    message: 'the signature has no "v1," in front',
    hint: 'Each entry is v1,<base64>; entries are separated by one space.',
  },
  foreign_headers: {
    message: 'the headers are named svix-*, not webhook-*',
    hint: 'The signature is good under those names: is a proxy or a library renaming headers?',
  },
  clock: {
    message: 'the signature is good, the clock is off',
    hint: 'Synchronise the clocks on both sides; an old request must be signed again to be replayed.',
  },
} as const

/** A mistake that makes good webhooks fail. */
export type Mistake = keyof typeof mistakes
