import { UsageError } from '../contract/index.js'
import { base64Of, bytesOfBase64 } from '../shared/byte-codes.js'
import { pasteFault } from '../shared/pasted-text.js'

/** The prefix of the service's secrets. */
const secretPrefix = 'whsec_'

/** The scheme recommends keys of 24 to 64 bytes; shorter ones work and are easier to guess. */
const recommendedKeyBytes = 24

/** Shorter keys are refused: the contract's own examples are longer, and what was cut or is no secret is shorter. */
const minKeyBytes = 16

/** A signing secret, decoded once so that many signatures can be made with it. */
export interface ParsedSecret {
  /** The secret's bytes. */
  key: Uint8Array
  /** Weaknesses of the secret that are allowed; never quotes it. */
  warnings: string[]
  /** Whether a key that can be guessed was asked for, by `allowWeak` of `parseSecret`. */
  allowWeak?: boolean
}

/** How strictly a secret is read. */
export interface SecretReading {
  /** Takes keys that can be guessed, of fewer than 16 bytes or of words, as tests of others have them. */
  allowWeak?: boolean | undefined
}

/** The secret without what is around it: white space, as a file leaves it, and `whsec_`. */
function encodedKey(text: string): string {
  const trimmed = text.trim()
  return trimmed.startsWith(secretPrefix) ? trimmed.slice(secretPrefix.length) : trimmed
}

/**
 * Decodes a signing secret, or says why the text cannot be one. The only place that decides it: whatever verifies, signs
 * or stores a secret asks here.
 */
export function readSecret(text: unknown, { allowWeak }: SecretReading = {}): ParsedSecret | SecretFault {
  if (typeof text !== 'string') {
    const kind = text === undefined || text === null ? 'missing' : 'not a text'
    return fault(`it is ${kind}`, 'Is the variable set that it comes from?')
  }
  const encoded = encodedKey(text)
  if (encoded === '') return fault('it is empty', 'Paste the whole secret, as in whsec_MfKQ….')
  if (/^v\d{1,2}[a-z]{0,3}(?:,|$)/i.test(text.trim()))
    return fault('it starts like a signature', 'Remove the "v1," in front: the secret itself starts with whsec_.')
  const pasted = pasteFault(text)
  if (pasted !== undefined) return pasted
  if (/\s/.test(encoded))
    return fault('it has white space inside', 'One secret has no spaces; give several one by one.')
  if (!isBase64(encoded)) return notBase64(encoded)
  const key = bytesOfBase64(encoded)
  if (!allowWeak) {
    if (key.length < minKeyBytes) return tooShort(key.length)
    if (isWords(encoded, key) || isCounted(key)) return placeholder
  }
  const warnings =
    key.length < recommendedKeyBytes
      ? [`the key has ${bytesOf(key.length)}; at least ${recommendedKeyBytes} are recommended`]
      : []
  return { key, warnings, ...(allowWeak ? { allowWeak } : {}) }
}

/** A secret that was decoded before, or by hand: a short key counts only if it was asked for. */
export function checkedKey(secret: ParsedSecret): ParsedSecret | SecretFault {
  const { key, allowWeak } = secret
  if (key.length < (allowWeak ? 1 : minKeyBytes)) return tooShort(key.length)
  return !allowWeak && isCounted(key) ? placeholder : secret
}

/** Decodes a signing secret; `undefined` if the text is none. `parseSecret` says why. */
function decodeSecret(text: string, reading?: SecretReading): ParsedSecret | undefined {
  const read = readSecret(text, reading)
  return 'why' in read ? undefined : read
}

/** Why a text is not a secret, and the remedy; neither quotes the text. */
interface SecretFault {
  why: string
  hint: string
}

const fault = (why: string, hint: string): SecretFault => ({ why, hint })

const placeholder = fault('it is a placeholder', 'Use the secret that the service issued.')

const bytesOf = (count: number) => `${count} ${count === 1 ? 'byte' : 'bytes'}`

const tooShort = (count: number) =>
  fault(`its key has ${bytesOf(count)}; at least ${minKeyBytes} are needed`, 'Was it cut short, or is it not a secret?')

function notBase64(encoded: string): SecretFault {
  if (/^(?:dlvk|sk|pk)_/.test(encoded))
    return fault('it is an API key', 'The webhook secret is another one: it starts with whsec_.')
  return fault(
    'it is not base64',
    /^[A-Za-z0-9_-]+={0,2}$/.test(encoded)
      ? 'Secrets use the standard alphabet with + and /; was a key or an id pasted, or the secret converted to base64url?'
      : 'A secret is whsec_ followed by base64; was it cut short?',
  )
}

/** Whether base64 of the right length is words: no issued secret reads like that by chance. */
function isWords(encoded: string, key: Uint8Array): boolean {
  const digits = encoded.replace(/=+$/, '')
  const isOneCase = /^(?:[a-z/]+|[A-Z/]+)$/.test(digits) && new Set(digits).size > 4
  if (isOneCase || /secret|webhook|changeme|replace/i.test(digits)) return true
  const text = String.fromCharCode(...key.subarray(0, 256))
  return /^(?:change.?me|replace.?me|placeholder|your[ _-])/i.test(text)
}

/** Whether a key is one byte or a few bytes again and again, or counts up or down: no random key of 16 bytes is. */
function isCounted(key: Uint8Array): boolean {
  const steps = key.map((byte, at) => byte - (key[at - 1] ?? 0)).subarray(1)
  if (steps.every((step) => step === steps[0])) return true
  return [2, 3, 4].some((period) => key.every((byte, at) => at < period || byte === key[at - period]))
}

function isBase64(text: string): boolean {
  const digits = text.replace(/={1,2}$/, '')
  if (!/^[A-Za-z0-9+/]+$/.test(digits) || digits.length % 4 === 1) return false
  return digits.length === text.length || text.length % 4 === 0
}

/**
 * The start of a hash of the key: the same for the same secret, however it is written, and no help in guessing it. A key
 * that could be found by counting has none.
 */
export function fingerprintOf(secret: string): string {
  const { hash } = process.getBuiltinModule('node:crypto')
  const read = decodeSecret(secret)
  return read === undefined ? weakFingerprint : hash('sha256', read.key, 'hex').slice(0, 12)
}

/** Stands for the fingerprint of a key whose hash could be counted back. */
export const weakFingerprint = 'weak'

/** Whether two texts are the same secret, however they are written. */
export function isSameSecret(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => decodeSecret(text, { allowWeak: true }))
  if (a === undefined || b === undefined) return one.trim() === other.trim()
  return a.key.length === b.key.length && a.key.every((byte, index) => byte === b.key[index])
}

/**
 * Decodes a signing secret: `whsec_` and base64, or only the base64, padded or not. White space around it, as a file
 * leaves it, is dropped. What cannot be a secret is refused: fewer than 16 bytes, a placeholder, a value in quotes, a
 * variable that nothing expanded, a path, an address, an API key, or what begins like a signature.
 *
 * @throws UsageError if the text cannot be a secret; its message never quotes the text.
 */
export function parseSecret(text: string, reading?: SecretReading): ParsedSecret {
  const read = readSecret(text, reading)
  if ('why' in read) throw new UsageError(`the webhook secret cannot be used: ${read.why}`, { hint: read.hint })
  return read
}

/** A secret by its name, as it is passed to `sign` and `verify`. @internal */
export function namedKey({ secret, allowWeak }: { secret: string; allowWeak?: boolean | undefined }) {
  return allowWeak ? parseSecret(secret, { allowWeak }) : secret
}

/** A new random secret of 24 bytes, in the form in which the service issues them. */
export function newSecret(): string {
  return secretPrefix + base64Of(crypto.getRandomValues(new Uint8Array(recommendedKeyBytes)))
}
