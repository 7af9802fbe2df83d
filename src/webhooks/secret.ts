import { randomBytes } from 'node:crypto'
import { UsageError } from '../contract/index.js'

const prefix = 'whsec_'
/** The scheme recommends keys of 24 to 64 bytes; shorter ones work and are easier to guess. */
const recommendedKeyBytes = 24

/** A signing secret, decoded once so that many signatures can be made with it. */
export interface ParsedSecret {
  key: Uint8Array
  /** What is allowed but unwise about the secret; never quotes it. */
  warnings: string[]
}

/**
 * Decodes a signing secret: `whsec_` and base64, or the base64 alone, padded or not. White space around it, as a file
 * leaves it, is dropped.
 *
 * @throws UsageError where the text cannot be a secret; its message never quotes the text.
 */
export function parseSecret(text: string): ParsedSecret {
  const trimmed = text.trim()
  const encoded = trimmed.startsWith(prefix) ? trimmed.slice(prefix.length) : trimmed
  if (encoded === '') throw refused('it is empty', 'Paste the whole secret, as in whsec_MfKQ….')
  if (/\s/.test(encoded))
    throw refused('it has white space inside', 'One secret has no spaces; give several one by one.')
  if (/^v\d+[a-z]*,/.test(trimmed)) {
    throw refused('it starts like a signature', 'Remove the "v1," in front: the secret itself starts with whsec_.')
  }
  if (!isBase64(encoded)) throw refused('it is not base64', hintForAlphabet(encoded))
  const key = Buffer.from(encoded, 'base64')
  const warnings =
    key.length < recommendedKeyBytes
      ? [
          `the key has ${key.length} ${key.length === 1 ? 'byte' : 'bytes'}; at least ${recommendedKeyBytes} are recommended`,
        ]
      : []
  return { key, warnings }
}

/** A new random secret of 24 bytes, in the form in which the service issues them. */
export function newSecret(): string {
  return prefix + randomBytes(recommendedKeyBytes).toString('base64')
}

function isBase64(text: string): boolean {
  const digits = text.replace(/={1,2}$/, '')
  if (!/^[A-Za-z0-9+/]+$/.test(digits) || digits.length % 4 === 1) return false
  return digits.length === text.length || text.length % 4 === 0
}

function hintForAlphabet(encoded: string): string {
  return /^[A-Za-z0-9_-]+={0,2}$/.test(encoded)
    ? 'Secrets use the standard alphabet with + and /; was a key or an id pasted, or the secret converted to base64url?'
    : 'A secret is whsec_ followed by base64; was it cut short, or pasted with quotes?'
}

function refused(why: string, hint: string): UsageError {
  return new UsageError(`the webhook secret cannot be used: ${why}`, { hint })
}
