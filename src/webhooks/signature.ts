import { hmacSha256 } from '../shared/crypto.js'
import { parseSecret } from './secret.js'
import type { ParsedSecret } from './secret-key.js'

/** The signed content: the event's id, the Unix time of sending in seconds, and the body's exact bytes. */
export interface SignedContent {
  /** The id of the event. */
  id: string
  /** When it is sent, as Unix time. */
  timestampSeconds: number
  /** A string is signed as UTF-8. */
  body: Uint8Array | string
}

// A type, not an interface: an interface cannot be passed where a record of headers is wanted, such as to `verify`.
/** The three headers of a signed webhook, by their names on the wire. */
export type SignatureHeaders = {
  /** The id of the event. */
  'webhook-id': string
  /** When it was sent, as Unix time in seconds. */
  'webhook-timestamp': string
  /** The signatures, separated by spaces, each with its version. */
  'webhook-signature': string
}

/**
 * One entry of `webhook-signature`: `v1,` and the base64 of the HMAC-SHA256 over `{id}.{timestamp}.{body}`.
 *
 * @throws UsageError if the secret cannot be used.
 */
export function sign(
  content: SignedContent & {
    /** The secret to sign with: `whsec_…`, or the result of `parseSecret`. */
    secret: string | ParsedSecret
  },
): string {
  const { key } = typeof content.secret === 'string' ? parseSecret(content.secret) : content.secret
  return `v1,${digest(key, content.id, String(content.timestampSeconds), content.body)}`
}

/**
 * The headers to send a body with: one signature for each secret, in their order, as during a rotation.
 *
 * @throws UsageError if a secret cannot be used.
 */
export function signatureHeaders(
  content: SignedContent & {
    /** One signature for each. */
    secrets: readonly (string | ParsedSecret)[]
  },
): SignatureHeaders {
  return {
    'webhook-id': content.id,
    'webhook-timestamp': String(content.timestampSeconds),
    'webhook-signature': content.secrets.map((secret) => sign({ ...content, secret })).join(' '),
  }
}

/** The base64 signature over exactly these parts. @internal */
export function digest(key: Uint8Array, id: string, timestamp: string, body: Uint8Array | string): string {
  return hmacSha256(key, `${id}.${timestamp}.`, body)
}
