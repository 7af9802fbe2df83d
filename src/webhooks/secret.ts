import { UsageError } from '../contract/index.js'
import { base64Of } from '../shared/base64.js'
import { type ParsedSecret, readSecret, recommendedKeyBytes, type SecretReading, secretPrefix } from './secret-key.js'

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
