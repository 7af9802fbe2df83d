import { hash, randomUUID, timingSafeEqual } from 'node:crypto'

/** Hashes and random values, by Node; the build for other platforms takes `crypto.web.ts` instead. */

/** The SHA-256 of a text's UTF-8. */
export function sha256(text: string, encoding: 'hex' | 'base64url'): string {
  return hash('sha256', text, encoding)
}

/** A UUID that nothing else has. */
export function randomId(): string {
  return randomUUID()
}

/** The sizes of SHA-256. */
const [blockBytes, digestBytes] = [64, 32]

/**
 * The base64 of the HMAC-SHA256 over a text and the body after it; strings count as UTF-8. RFC 2104 over two hashes: for
 * `createHmac`, Node makes an object of the key each time, which takes it ten times as long.
 */
export function hmacSha256(key: Uint8Array, head: string, body: Uint8Array | string): string {
  const block = key.length > blockBytes ? hash('sha256', key, 'buffer') : key
  const content = typeof body === 'string' ? Buffer.from(body) : body
  const headBytes = Buffer.byteLength(head)
  const inner = Buffer.allocUnsafe(blockBytes + headBytes + content.length)
  const outer = Buffer.allocUnsafe(blockBytes + digestBytes)
  for (let at = 0; at < blockBytes; at++) {
    const byte = block[at] ?? 0
    inner[at] = byte ^ 0x36
    outer[at] = byte ^ 0x5c
  }
  inner.write(head, blockBytes)
  inner.set(content, blockBytes + headBytes)
  outer.write(hash('sha256', inner, 'binary'), blockBytes, 'binary')
  return hash('sha256', outer, 'base64')
}

/** Compares in a time that tells nothing of where two texts differ. */
export function isSameSecretly(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}
