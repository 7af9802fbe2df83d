import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../contract/index.js'
import { replacePrivateFile } from '../shared/directory.js'
import { isRecord, readJsonText } from '../shared/json.js'
import { type Environment, environments } from './environment.js'
import { lockedFile } from './locked-file.js'
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

/**
 * The scope of idempotency keys: the service keeps them for each API key, so that the same order has the same key on every
 * machine, and whatever a profile is called.
 */
export const keyScope = ''

/** The data name of the embedded sandbox's own account. */
export const embeddedDataName = 'local'

export const accountsPath = (dataDir: string): string => join(dataDir, 'accounts.json')

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
