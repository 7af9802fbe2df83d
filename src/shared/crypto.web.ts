import { sha256 as digest } from '@noble/hashes/sha2.js'
import { base64Of } from './byte-codes.js'

/** Hashes and random values without Node. Synchronous, unlike the Web Crypto API, so that `verify` is. */

const utf8 = new TextEncoder()

export function sha256(text: string, encoding: 'hex' | 'base64url'): string {
  const bytes = digest(utf8.encode(text))
  if (encoding === 'hex') return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return base64Of(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

export function randomId(): string {
  return crypto.randomUUID()
}

/** RFC 2104 over the library's SHA-256; its own HMAC checks what cannot happen here, and `verify` has to stay small. */
export function hmacSha256(key: Uint8Array, head: string, body: Uint8Array | string): string {
  const block = new Uint8Array(64)
  block.set(key.length > 64 ? digest(key) : key)
  const inner = digest
    .create()
    .update(block.map((byte) => byte ^ 0x36))
    .update(utf8.encode(head))
    .update(typeof body === 'string' ? utf8.encode(body) : body)
    .digest()
  const outer = digest.create().update(block.map((byte) => byte ^ 0x5c))
  return base64Of(outer.update(inner).digest())
}

export function isSameSecretly(given: string, expected: string): boolean {
  if (given.length !== expected.length) return false
  let difference = 0
  for (let at = 0; at < given.length; at++) difference |= given.charCodeAt(at) ^ expected.charCodeAt(at)
  return difference === 0
}
