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

/** The base64 of the HMAC-SHA256 over a text and the body after it; strings count as UTF-8. */
export function hmacSha256(key: Uint8Array, head: string, body: Uint8Array | string): string {
  return createHmac('sha256', key).update(head).update(body).digest('base64')
}

/** Compares in a time that tells nothing of where two texts differ. */
export function isSameSecretly(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}
