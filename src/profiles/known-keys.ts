import { appendFileSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { UsageError } from '../contract/index.js'
import { makeFolder, makePrivateFile } from '../shared/directory.js'
import { isOwnFile } from './profile-file.js'
import { isTrusted, type ProjectSettings, recordOf, trustedPath } from './project-file.js'

/** The prefix of every production key. */
const livePrefix = 'dlvk_live_'

/** Whether a key is a production key by its prefix. */
export function isLiveKey(key: string): boolean {
  return key.startsWith(livePrefix)
}

/** Whether a key is one of dlv's own sandbox. */
export function isSandboxKey(key: string): boolean {
  return key.startsWith('dlvk_sbx_')
}

/** The file with fingerprints of keys that a response showed to be production keys. */
const knownKeysPath = (configDir: string): string => join(configDir, 'production-keys')

/**
 * Whether a key begins as production keys do, or was recorded as one. Without such a record, nothing is hashed.
 *
 * @throws UsageError if a damaged line may have named the key
 */
export function isKnownProductionKey(configDir: string, apiKey: string): boolean {
  if (isLiveKey(apiKey)) return true
  let damaged = 0
  for (const [index, line] of recordedLines(configDir).entries()) {
    const [, salt = '', hash] = /^([0-9a-f]{32}) ([0-9a-f]{64}) /.exec(line) ?? []
    if (hash !== undefined && saltedHash(salt, apiKey) === hash) return true
    if (hash === undefined && line !== '') damaged ||= index + 1
  }
  if (damaged === 0) return false
  const file = knownKeysPath(configDir)
  throw new UsageError(`${file}, which keeps what keys are production keys, is damaged at line ${damaged}.`, {
    hint: `Remove line ${damaged}, or the file, if you know that your key is a test key.`,
  })
}

function recordedLines(configDir: string): string[] {
  try {
    return readFileSync(knownKeysPath(configDir), 'utf8').split('\n')
  } catch {
    return []
  }
}

/** A hash that tells keys apart, as the file holds it beside its salt. */
function saltedHash(salt: string, apiKey: string): string {
  const { hash } = process.getBuiltinModule('node:crypto')
  return hash('sha256', `${salt} ${apiKey}`, 'hex')
}

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

/**
 * Adds a line to a file of records that only the user reads, and creates it if there is none.
 *
 * @throws UsageError for a symbolic link; the system's error if it cannot be written
 */
function appendRecord(file: string, line: string): void {
  makeFolder(dirname(file))
  makePrivateFile(file)
  // The leading line feed ends a line that was cut short.
  if (isOwnFile(file)) appendFileSync(file, `\n${line}\n`)
}

/** Records that a person trusts a project file at its place and with its content. Throws `UsageError`. */
export function trustProject(configDir: string, project: ProjectSettings): void {
  if (isTrusted(configDir, project)) return
  const file = trustedPath(configDir)
  try {
    appendRecord(file, recordOf(project))
  } catch (cause) {
    if (cause instanceof UsageError) throw cause
    throw new UsageError(`Cannot write ${file}: ${(cause as Error).message}.`, { cause })
  }
}
