import { UsageError } from '../contract/index.js'
import { base64Of } from '../shared/base64.js'
import { decodeSecret, encodedKey, type ParsedSecret, recommendedKeyBytes, secretPrefix } from './secret-key.js'

/**
 * Decodes a signing secret: `whsec_` and base64, or only the base64, padded or not. White space around it, as a file
 * leaves it, is dropped.
 *
 * @throws UsageError if the text cannot be a secret; its message never quotes the text.
 */
export function parseSecret(text: string): ParsedSecret {
  if (typeof text !== 'string') throw refused(`it is ${kindOf(text)}`, 'Is the variable set that it comes from?')
  const encoded = encodedKey(text)
  if (encoded === '') throw refused('it is empty', 'Paste the whole secret, as in whsec_MfKQ….')
  if (/\s/.test(encoded))
    throw refused('it has white space inside', 'One secret has no spaces; give several one by one.')
  if (/^v\d+[a-z]*,/.test(text.trim())) {
    throw refused('it starts like a signature', 'Remove the "v1," in front: the secret itself starts with whsec_.')
  }
  const secret = decodeSecret(text)
  if (secret === undefined) throw refused('it is not base64', hintForAlphabet(encoded))
  return secret
}

/** A new random secret of 24 bytes, in the form in which the service issues them. */
export function newSecret(): string {
  return secretPrefix + base64Of(crypto.getRandomValues(new Uint8Array(recommendedKeyBytes)))
}

function hintForAlphabet(encoded: string): string {
  return /^[A-Za-z0-9_-]+={0,2}$/.test(encoded)
    ? 'Secrets use the standard alphabet with + and /; was a key or an id pasted, or the secret converted to base64url?'
    : 'A secret is whsec_ followed by base64; was it cut short, or pasted with quotes?'
}

function kindOf(value: unknown): string {
  return value === undefined || value === null ? 'missing' : 'not a text'
}

function refused(why: string, hint: string): UsageError {
  return new UsageError(`the webhook secret cannot be used: ${why}`, { hint })
}
