import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The prefix of every production key. */
const livePrefix = 'dlvk_live_'

/** Whether a key is a production key by its prefix. */
export function isLiveKey(key: string): boolean {
  return key.startsWith(livePrefix)
}

/** The file with fingerprints of keys that a response showed to be production keys. */
export const knownKeysPath = (configDir: string): string => join(configDir, 'production-keys')

/** Whether a key begins as production keys do, or was recorded as one. Without such a record, nothing is hashed. */
export function isKnownProductionKey(configDir: string, apiKey: string): boolean {
  if (isLiveKey(apiKey)) return true
  return recordedKeys(configDir).some(([salt = '', hash]) => saltedHash(salt, apiKey) === hash)
}

function recordedKeys(configDir: string): string[][] {
  try {
    const lines = readFileSync(knownKeysPath(configDir), 'utf8').split('\n')
    return lines.flatMap((line) => (line === '' ? [] : [line.split(' ')]))
  } catch {
    return []
  }
}

/** A hash that tells keys apart, as the file holds it beside its salt. */
export function saltedHash(salt: string, apiKey: string): string {
  const { hash } = process.getBuiltinModule('node:crypto')
  return hash('sha256', `${salt} ${apiKey}`, 'hex')
}
