import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder, makePrivateFile } from '../shared/directory.js'
import { isOwnFile } from './profile-file.js'

/** The prefix of every production key. */
const livePrefix = 'dlvk_live_'

/** Whether a key is a production key by its prefix. */
export function isLiveKey(key: string): boolean {
  return key.startsWith(livePrefix)
}

/** Where fingerprints of keys are kept that an answer showed to be production keys. */
export const knownKeysPath = (configDir: string): string => join(configDir, 'production-keys')

/**
 * Records that an answer showed a key to be a production key: `SANDBOX_ONLY`, or an object with `livemode: true`. The file
 * holds a salted hash, never the key. If it cannot be written, nothing is recorded.
 */
export function rememberProductionKey(configDir: string, apiKey: string, reason: 'SANDBOX_ONLY' | 'livemode'): void {
  if (isKnownProductionKey(configDir, apiKey)) return
  const { randomBytes } = process.getBuiltinModule('node:crypto')
  const salt = randomBytes(16).toString('hex')
  const file = knownKeysPath(configDir)
  try {
    makeFolder(configDir)
    makePrivateFile(file)
    if (isOwnFile(file)) appendFileSync(file, `${salt} ${fingerprint(salt, apiKey)} ${reason}\n`)
  } catch {
    // The next such answer records it.
  }
}

/** Whether a key begins as production keys do, or was recorded as one. Without such a record, nothing is hashed. */
export function isKnownProductionKey(configDir: string, apiKey: string): boolean {
  if (isLiveKey(apiKey)) return true
  return recordedKeys(configDir).some(([salt = '', hash]) => fingerprint(salt, apiKey) === hash)
}

function recordedKeys(configDir: string): string[][] {
  try {
    const lines = readFileSync(knownKeysPath(configDir), 'utf8').split('\n')
    return lines.flatMap((line) => (line === '' ? [] : [line.split(' ')]))
  } catch {
    return []
  }
}

function fingerprint(salt: string, apiKey: string): string {
  const { hash } = process.getBuiltinModule('node:crypto')
  return hash('sha256', `${salt} ${apiKey}`, 'hex')
}
