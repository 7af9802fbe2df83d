import { type PostResult, post } from './post.js'
import { eventIdOf, newEventId } from './sample-event.js'
import type { ParsedSecret } from './secret.js'
import { assertBody, type SignatureHeaders, signatureHeaders } from './signature.js'

/** The event to sign and send, and its receiver. */
export interface SendInput {
  /** The address of the receiver. */
  url: string
  /** One secret, or several: one signature for each. */
  secrets: string | ParsedSecret | readonly (string | ParsedSecret)[]
  /** Sent byte for byte. */
  body: Uint8Array | string
  /** The `webhook-id`. Default: the body's `eventId`, or a new one if it has none. */
  id?: string
  /** The time of signing. Default: now. */
  timestampSeconds?: number
  /** Timeout of the request in milliseconds. Default 10,000. */
  timeoutMs?: number
  /** Ends the request. */
  signal?: AbortSignal
  /** Certificates to trust besides the system's own. */
  ca?: string
}

/** The request that was sent, and its result. */
export type Sent = PostResult & {
  /** The `webhook-id`. */
  id: string
  /** The headers of the signature. */
  signed: SignatureHeaders
}

/**
 * Signs a body and posts it as the service would. The outcome is an answer of any status, or why there was none.
 *
 * @throws UsageError if a secret cannot be used or the body is neither bytes nor a text, TypeError if the URL is none.
 */
export async function sendEvent(input: SendInput): Promise<Sent> {
  assertBody(input.body)
  const body = Buffer.from(input.body)
  const id = input.id ?? eventIdOf(body) ?? newEventId()
  const timestampSeconds = input.timestampSeconds ?? Math.floor(Date.now() / 1000)
  const signed = signatureHeaders({ secrets: input.secrets, id, timestampSeconds, body })
  const { url, timeoutMs = 10_000, signal, ca } = input
  const outcome = await post({ url, headers: webhookHeaders(signed), body, timeoutMs, signal, ca })
  return { ...outcome, id, signed }
}

/** All headers of a webhook, around its three signed ones. */
export function webhookHeaders(signed: SignatureHeaders): Record<string, string> {
  return { 'content-type': 'application/json', 'user-agent': 'dlv-webhooks', ...signed }
}
