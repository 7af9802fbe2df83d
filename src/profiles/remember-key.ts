import { appendRecord } from './append-record.js'
import { isKnownProductionKey, knownKeysPath, saltedHash } from './known-keys.js'

/**
 * Records that an answer showed a key to be a production key: `SANDBOX_ONLY`, or an object with `livemode: true`. The file
 * holds a salted hash, never the key. If it cannot be written, nothing is recorded.
 */
export function rememberProductionKey(configDir: string, apiKey: string, reason: 'SANDBOX_ONLY' | 'livemode'): void {
  const { randomBytes } = process.getBuiltinModule('node:crypto')
  const salt = randomBytes(16).toString('hex')
  try {
    if (isKnownProductionKey(configDir, apiKey)) return
    appendRecord(knownKeysPath(configDir), `${salt} ${saltedHash(salt, apiKey)} ${reason}`)
  } catch {
    // The next such answer records it.
  }
}
