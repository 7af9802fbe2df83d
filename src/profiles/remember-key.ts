import { appendFileSync } from 'node:fs'
import { makeFolder, makePrivateFile } from '../shared/directory.js'
import { isKnownProductionKey, knownKeysPath, saltedHash } from './known-keys.js'
import { isOwnFile } from './profile-file.js'

/**
 * Records that an answer showed a key to be a production key: `SANDBOX_ONLY`, or an object with `livemode: true`. The file
 * holds a salted hash, never the key. If it cannot be written, nothing is recorded.
 */
export function rememberProductionKey(configDir: string, apiKey: string, reason: 'SANDBOX_ONLY' | 'livemode'): void {
  const { randomBytes } = process.getBuiltinModule('node:crypto')
  const salt = randomBytes(16).toString('hex')
  const file = knownKeysPath(configDir)
  try {
    if (isKnownProductionKey(configDir, apiKey)) return
    makeFolder(configDir)
    makePrivateFile(file)
    // The leading line feed ends a line that was cut short.
    if (isOwnFile(file)) appendFileSync(file, `\n${salt} ${saltedHash(salt, apiKey)} ${reason}\n`)
  } catch {
    // The next such answer records it.
  }
}
