import { UsageError } from '../../contract/index.js'
import {
  type AccountRecord,
  accountLabel,
  changeAccounts,
  changeProfiles,
  directoryKey,
  fingerprintWith,
  newAccount,
  profileNamed,
} from '../../profiles/index.js'
import { type IdentifiedBy, UndecidedAccountError } from './identify.js'

/** A decision that the user takes over what the service would be asked. */
export type Decision = 'same' | 'new'

/**
 * Makes the key of a profile one of the account that was used under its name before, or of a new account.
 *
 * @throws UsageError if nothing is kept under that name
 */
export async function decideAccount(
  settings: IdentifiedBy & { apiKey: string },
  decision: Decision,
  { dataDir, configDir, nowMs }: { dataDir: string; configDir: string; nowMs: () => number },
): Promise<AccountRecord> {
  const fingerprint = fingerprintWith(await directoryKey(dataDir), 'key', settings.apiKey)
  const account = await changeAccounts(dataDir, (accounts) => {
    const target = decision === 'same' ? earlierAccount(accounts, settings, fingerprint) : fresh(settings)
    const others = accounts
      .filter(({ mark }) => mark !== target.mark)
      .map((one) => (one.baseUrl === target.baseUrl ? without(one, fingerprint) : one))
    const keys = [...new Set([...target.keys, fingerprint])]
    const result: AccountRecord = { ...target, keys, label: accountLabel(settings), changedAtMs: nowMs() }
    return { accounts: [...others, result], result }
  })
  await changeProfiles(configDir, (file) => {
    const stored = profileNamed(file, settings.profile)
    if (stored === undefined) return file
    const { formerAccount: _, ...rest } = stored
    return { ...file, profiles: { ...file.profiles, [settings.profile]: { ...rest, account: account.mark } } }
  })
  return account
}

function fresh(settings: IdentifiedBy): AccountRecord {
  const { baseUrl = null, environment } = settings
  return newAccount({ label: accountLabel(settings), baseUrl, environment, keys: [] })
}

function without(account: AccountRecord, fingerprint: string): AccountRecord {
  return account.keys.includes(fingerprint)
    ? { ...account, keys: account.keys.filter((key) => key !== fingerprint) }
    : account
}

/** The account that was used under the profile's name with another key; the one of this key if there was no other. */
function earlierAccount(
  accounts: readonly AccountRecord[],
  { profile, baseUrl, account, formerAccount }: IdentifiedBy,
  fingerprint: string,
): AccountRecord {
  const here = accounts.filter((one) => one.baseUrl === baseUrl && !one.isKeyless)
  const named = here.filter(({ label }) => label === profile).sort((a, b) => b.changedAtMs - a.changedAtMs)
  const kept = [formerAccount, account].flatMap((mark) => here.find((one) => one.mark === mark) ?? [])
  const candidates = [...kept, ...named]
  const found = candidates.find(({ keys }) => !keys.includes(fingerprint)) ?? candidates[0]
  if (found !== undefined) return found
  const labels = [...new Set(here.map(({ label }) => label))].join(', ')
  throw new UsageError(`Nothing is kept here of an account that was used as profile ${profile} at ${baseUrl}.`, {
    hint: labels === '' ? 'Leave --same-account out.' : `Accounts at this address were used as: ${labels}.`,
  })
}

/** Whether an error says that nobody can tell yet whose a key is. */
export function isUndecided(error: unknown): error is UndecidedAccountError {
  return error instanceof UndecidedAccountError
}
