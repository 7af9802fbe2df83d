import { lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../contract/index.js'
import { hmacSha256 } from '../shared/crypto.js'
import { replacePrivateFile } from '../shared/directory.js'
import { isRecord, readJsonText } from '../shared/json.js'
import { type Environment, environments, lockedFile } from './environment.js'
import type { Profile } from './profile-file.js'

/**
 * An account of a service as this data directory knows it. What is kept belongs to its mark; profiles are only labels.
 */
export interface AccountRecord {
  /** Random, made when the account is first used. */
  mark: string
  /** The name that data on this machine is kept under: the mark, or `local` for the embedded sandbox's own account. */
  dataName: string
  /** The profile or the host by which it was last used. */
  label: string
  /** `null` for the embedded sandbox. */
  baseUrl: string | null
  environment: Environment
  /** Fingerprints of the API keys that were seen to belong to it. */
  keys: readonly string[]
  /** Fingerprints of the webhook secrets that were seen to belong to it. */
  secrets: readonly string[]
  /** Marks of accounts that proved to be this one: what came while nobody could say whose a new key is. */
  earlierMarks?: readonly string[]
  /** Stands for every account without a key at an address, and never takes a key. */
  isKeyless?: true
  /** When a key was last added, in milliseconds since the epoch. */
  changedAtMs: number
}

/** The data name of the embedded sandbox's own account. */
export const embeddedDataName = 'local'

const accountsPath = (dataDir: string): string => join(dataDir, 'accounts.json')

/**
 * The accounts that this data directory knows.
 *
 * @throws UsageError for a damaged file
 */
export function readAccounts(dataDir: string): AccountRecord[] {
  const file = accountsPath(dataDir)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    // Where a directory cannot exist, the first write says so.
    if (/^(?:ENOENT|ENOTDIR)$/.test(String((error as NodeJS.ErrnoException).code))) return []
    throw new UsageError(`Cannot read ${file}: ${(error as Error).message}.`, { cause: error })
  }
  const reading = readJsonText(text)
  const accounts = 'fault' in reading || !isRecord(reading.value) ? undefined : reading.value.accounts
  if (!Array.isArray(accounts) || !accounts.every(isAccountRecord))
    throw new UsageError(`${file}, which says whose the kept orders and events are, is damaged.`, {
      hint: `Restore it from a copy, or move it away: each key is then asked again whose it is.`,
    })
  return accounts
}

/** The account that a profile was last used with, without asking; `undefined` if it was not used yet. */
export function accountKeptWith(
  dataDir: string,
  { account, baseUrl = null }: Pick<Profile, 'account'> & { baseUrl?: string | null },
): AccountRecord | undefined {
  const here = readAccounts(dataDir).filter((known) => known.baseUrl === baseUrl)
  return here.find(({ mark, dataName }) => (baseUrl === null ? dataName === embeddedDataName : mark === account))
}

function isAccountRecord(value: unknown): value is AccountRecord {
  if (!isRecord(value)) return false
  const { mark, dataName, label, baseUrl, environment, keys, secrets, earlierMarks = [], changedAtMs } = value
  return (
    [mark, dataName].every((name) => typeof name === 'string' && /^[\w-]{1,64}$/.test(name)) &&
    typeof label === 'string' &&
    (baseUrl === null || typeof baseUrl === 'string') &&
    environments.some((known) => known === environment) &&
    [keys, secrets, earlierMarks].every(
      (list) => Array.isArray(list) && list.every((one) => typeof one === 'string'),
    ) &&
    typeof changedAtMs === 'number'
  )
}

/**
 * Changes the accounts atomically; waits while another process does the same.
 *
 * @throws UsageError for a damaged file; the file system's error
 */
export async function changeAccounts<Result>(
  dataDir: string,
  change: (accounts: AccountRecord[]) => { accounts: AccountRecord[]; result: Result },
): Promise<Result> {
  const file = accountsPath(dataDir)
  return lockedFile(file, () => {
    const { accounts, result } = change(readAccounts(dataDir))
    replacePrivateFile(file, `${JSON.stringify({ version: 1, accounts }, null, 2)}\n`)
    return result
  })
}

/** An account that nothing is kept for yet. */
export function newAccount(
  of: Pick<AccountRecord, 'label' | 'baseUrl' | 'environment' | 'keys'> & Partial<AccountRecord>,
): AccountRecord {
  const { randomBytes } = process.getBuiltinModule('node:crypto')
  const mark = of.mark ?? randomBytes(10).toString('hex')
  return { dataName: mark, secrets: [], changedAtMs: Date.now(), ...of, mark }
}

/** The random key of a data directory, by which keys and secrets are recognized and records are authenticated. */
const directoryKeyPath = (dataDir: string): string => join(dataDir, 'account-key')

/**
 * The key of a data directory, created at first use for its owner only.
 *
 * @throws UsageError for a symbolic link; the file system's error if it cannot be read or written
 */
export async function directoryKey(dataDir: string): Promise<Buffer> {
  const file = directoryKeyPath(dataDir)
  const known = readKey(file)
  if (known !== undefined) return known
  const { randomBytes } = process.getBuiltinModule('node:crypto')
  return lockedFile(file, () => {
    const other = readKey(file)
    if (other !== undefined) return other
    const key = randomBytes(32)
    replacePrivateFile(file, `${key.toString('hex')}\n`)
    return key
  })
}

function readKey(file: string): Buffer | undefined {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (stats === undefined) return undefined
  if (!stats.isFile())
    throw new UsageError(`${file} is not a file.`, { hint: 'Move it away, or set DLV_DATA_DIR to another directory.' })
  const text = readFileSync(file, 'utf8').trim()
  return /^[0-9a-f]{64}$/.test(text) ? Buffer.from(text, 'hex') : undefined
}

/** Tells a key or secret from others. Without the data directory's key, nobody can try values against it. */
export function fingerprintWith(directoryKey: Buffer, kind: 'key' | 'secret', value: string): string {
  return authenticated(directoryKey, [kind, value]).slice(0, 32)
}

/** An HMAC of values with the data directory's key, as hexadecimal digits. */
export function authenticated(directoryKey: Buffer, values: readonly unknown[]): string {
  return authenticatedText(directoryKey, '', JSON.stringify(values))
}

/**
 * The same for a text, which is not written once more as JSON.
 *
 * @param kind what the text is: letters, with which no JSON of values begins
 */
export function authenticatedText(directoryKey: Buffer, kind: string, text: string): string {
  return Buffer.from(hmacSha256(directoryKey, kind, text), 'base64').toString('hex')
}

const slowHashes = new Map<string, Promise<string>>()

/**
 * A slow hash of a key with a salt, for a database that others can read: nobody can try many values against it. It takes
 * 50 ms of CPU, once for each key and database in a process.
 */
export function sharedFingerprint(key: string, salt: string): Promise<string> {
  const { scrypt } = process.getBuiltinModule('node:crypto')
  const pair = JSON.stringify([key, salt])
  const known = slowHashes.get(pair)
  if (known !== undefined) return known
  const hash = new Promise<string>((resolve, reject) =>
    scrypt(key, `dlv account ${salt}`, 16, (error, bytes) =>
      error === null ? resolve(bytes.toString('hex')) : reject(error),
    ),
  )
  slowHashes.set(pair, hash)
  hash.catch(() => slowHashes.delete(pair))
  return hash
}
