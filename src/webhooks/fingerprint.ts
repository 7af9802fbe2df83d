import { decodeSecret } from './secret-key.js'

/** The start of a hash of the key: the same for the same secret, however it is written, and no help in guessing it. */
export function fingerprintOf(secret: string): string {
  const { hash } = process.getBuiltinModule('node:crypto')
  return hash('sha256', decodeSecret(secret)?.key ?? secret, 'hex').slice(0, 12)
}
