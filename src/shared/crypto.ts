import { createHmac, hash, randomUUID, timingSafeEqual } from 'node:crypto'

/** Hashes and random values, by Node; the build for other platforms takes `crypto.web.ts` instead. */

/** The SHA-256 of a text's UTF-8. */
export function sha256(text: string, encoding: 'hex' | 'base64url'): string {
  return hash('sha256', text, encoding)
}

/** A UUID that nothing else has. */
export function randomId(): string {
  return randomUUID()
}

/** What RFC 2104 hashes before the text and before the inner hash. */
interface Pads {
  /** The inner pad, with space after it for the text. */
  inner: Buffer
  /** The outer pad, with space after it for the inner hash. */
  outer: Buffer
}

const blockBytes = 64
const hashBytes = 32
/** Text up to this size is hashed in two steps by hand. */
const smallBytes = 8_192
const padsOf = new WeakMap<Uint8Array, Pads>()

function padsFor(key: Uint8Array): Pads {
  const known = padsOf.get(key)
  if (known !== undefined) return known
  const short = key.length > blockBytes ? hash('sha256', key, 'buffer') : key
  const inner = Buffer.alloc(blockBytes + smallBytes, 0x36)
  const outer = Buffer.alloc(blockBytes + hashBytes, 0x5c)
  for (let at = 0; at < short.length; at++) {
    inner[at] = 0x36 ^ (short[at] ?? 0)
    outer[at] = 0x5c ^ (short[at] ?? 0)
  }
  const pads = { inner, outer }
  padsOf.set(key, pads)
  return pads
}

/** The base64 of the HMAC-SHA256 over a text and the body after it; strings count as UTF-8. */
export function hmacSha256(key: Uint8Array, head: string, body: Uint8Array | string): string {
  // At most three bytes for a unit of a string.
  if (3 * (head.length + body.length) > smallBytes)
    return createHmac('sha256', key).update(head).update(body).digest('base64')
  // Node's object for an HMAC takes longer to make and to collect than both hashes of a webhook take.
  const { inner, outer } = padsFor(key)
  let end = blockBytes + inner.write(head, blockBytes)
  if (typeof body === 'string') end += inner.write(body, end)
  else {
    inner.set(body, end)
    end += body.length
  }
  outer.write(hash('sha256', inner.subarray(0, end), 'binary'), blockBytes, 'binary')
  return hash('sha256', outer, 'base64')
}

/** Compares in a time that tells nothing of where two texts differ. */
export function isSameSecretly(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}
