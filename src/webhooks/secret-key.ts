import { bytesOfBase64 } from '../shared/base64.js'

/** The prefix of the service's secrets. */
export const secretPrefix = 'whsec_'

/** The scheme recommends keys of 24 to 64 bytes; shorter ones work and are easier to guess. */
export const recommendedKeyBytes = 24

/** A signing secret, decoded once so that many signatures can be made with it. */
export interface ParsedSecret {
  /** The secret's bytes. */
  key: Uint8Array
  /** Weaknesses of the secret that are allowed; never quotes it. */
  warnings: string[]
}

/** The secret without what is around it: white space, as a file leaves it, and `whsec_`. */
export function encodedKey(text: string): string {
  const trimmed = text.trim()
  return trimmed.startsWith(secretPrefix) ? trimmed.slice(secretPrefix.length) : trimmed
}

/** Decodes a signing secret; `undefined` if the text is none. `parseSecret` says why. */
export function decodeSecret(text: string): ParsedSecret | undefined {
  const encoded = encodedKey(text)
  if (!isBase64(encoded)) return undefined
  const key = bytesOfBase64(encoded)
  const bytes = key.length === 1 ? 'byte' : 'bytes'
  const warnings =
    key.length < recommendedKeyBytes
      ? [`the key has ${key.length} ${bytes}; at least ${recommendedKeyBytes} are recommended`]
      : []
  return { key, warnings }
}

function isBase64(text: string): boolean {
  const digits = text.replace(/={1,2}$/, '')
  if (!/^[A-Za-z0-9+/]+$/.test(digits) || digits.length % 4 === 1) return false
  return digits.length === text.length || text.length % 4 === 0
}

/** The start of a hash of the key: the same for the same secret, however it is written, and no help in guessing it. */
export function fingerprintOf(secret: string): string {
  const { hash } = process.getBuiltinModule('node:crypto')
  return hash('sha256', decodeSecret(secret)?.key ?? secret, 'hex').slice(0, 12)
}
