import { UsageError } from '../contract/index.js'
import { isBytes } from '../shared/byte-codes.js'
import { hmacSha256 } from '../shared/crypto.js'
import { type ParsedSecret, parseSecret } from './secret.js'

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
 * @throws UsageError if the secret cannot be used, or the body is neither bytes nor a text.
 */
export function sign(
  content: SignedContent & {
    /** The secret to sign with: `whsec_…`, or the result of `parseSecret`. */
    secret: string | ParsedSecret
  },
): string {
  assertBody(content.body)
  const { key } =
    typeof content.secret === 'object' && content.secret !== null ? content.secret : parseSecret(content.secret)
  return `v1,${digest(key, content.id, String(content.timestampSeconds), content.body)}`
}

/**
 * The headers to send a body with: one signature for each secret, in their order, as during a rotation.
 *
 * @throws UsageError if a secret cannot be used, the body is neither bytes nor a text, or the time is not in whole seconds.
 */
export function signatureHeaders(
  content: SignedContent & {
    /** One secret, or several: one signature for each. */
    secrets: string | ParsedSecret | readonly (string | ParsedSecret)[]
  },
): SignatureHeaders {
  assertSeconds(content.timestampSeconds)
  const secrets = Array.isArray(content.secrets)
    ? (content.secrets as readonly ParsedSecret[])
    : [content.secrets as string]
  return {
    'webhook-id': content.id,
    'webhook-timestamp': String(content.timestampSeconds),
    'webhook-signature': secrets.map((secret) => sign({ ...content, secret })).join(' '),
  }
}

/** As many seconds as last until the year 5138: more are milliseconds, and every receiver rejects them. */
const maxSeconds = 99_999_999_999

function assertSeconds(timestampSeconds: number): void {
  if (Number.isInteger(timestampSeconds) && timestampSeconds >= 0 && timestampSeconds <= maxSeconds) return
  throw new UsageError(`timestampSeconds must be a Unix time in whole seconds, not ${String(timestampSeconds)}`, {
    hint: 'Pass Math.floor(Date.now() / 1000).',
  })
}

/**
 * A body in the form in which it is signed.
 *
 * @throws UsageError for a value that is neither bytes nor a text. @internal
 */
export function assertBody(body: unknown): void {
  if (typeof body === 'string' || isBytes(body)) return
  throw new UsageError('The body must be bytes or a text: a signature is made over exactly what is sent', {
    hint: 'Pass JSON.stringify(event).',
  })
}

/** The base64 signature over exactly these parts. @internal */
export function digest(key: Uint8Array, id: string, timestamp: string, body: Uint8Array | string): string {
  return hmacSha256(key, `${id}.${timestamp}.`, body)
}
