import { existsSync } from 'node:fs'
import { ApiError, ConnectionError, DlvError, UsageError } from '../../contract/index.js'
import {
  type AccountRecord,
  accountLabel,
  accountName,
  changeAccounts,
  changeProfiles,
  directoryKey,
  embeddedDataName,
  fingerprintWith,
  isKeyless,
  newAccount,
  noProfile,
  readAccounts,
  type Settings,
} from '../../profiles/index.js'
import { shellWord } from '../../shared/command-words.js'
import { journalFileOf } from '../journal/place.js'

/** Whose key it is, by what only one account can answer. */
export type Asked =
  /** The account answered with one of its deliveries. */
  | 'found'
  /** It does not have any of several deliveries. */
  | 'absent'
  /** Nothing is kept that it could be asked for. */
  | 'nothing'

/** The settings that decide an account. */
export type IdentifiedBy = Pick<
  Settings,
  'profile' | 'baseUrl' | 'apiKey' | 'environment' | 'account' | 'formerAccount' | 'isKeyUnread'
>

/** The surroundings of an identification. */
interface IdentityPlace {
  dataDir: string
  configDir: string
  nowMs: () => number
  /** Asks the service with the new key for deliveries of a known account. */
  ask(account: AccountRecord, settings: IdentifiedBy): Promise<Asked>
  /** The settings with the key of the keychain. */
  withKey(): Promise<IdentifiedBy>
  notice(text: string): void
}

/** A platform may have many accounts at one address; those that were changed last are asked about. */
const mostCandidates = 12

/** Stands for the key of the embedded sandbox's own account. */
const embeddedKey = 'embedded'

/**
 * The account that settings lead to. A known key is its account's, whatever the profile is called; an unknown key is asked
 * whose it is before anything of an account is used with it.
 *
 * @throws UndecidedAccountError if the service cannot be asked: nothing is used and nothing is changed
 */
export async function identifiedAccount(settings: IdentifiedBy, place: IdentityPlace): Promise<AccountRecord> {
  try {
    return await identify(settings, place)
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    // Nothing can be kept here, so that nothing can be mixed up.
    return newAccount({ ...described(settings), keys: [] })
  }
}

async function identify(settings: IdentifiedBy, place: IdentityPlace): Promise<AccountRecord> {
  const address = settings.baseUrl ?? null
  const here = readAccounts(place.dataDir).filter(({ baseUrl }) => baseUrl === address)
  const own = [settings.account, settings.formerAccount].flatMap(
    (mark) => here.find((account) => account.mark === mark) ?? [],
  )
  const key = address === null ? (settings.apiKey ?? embeddedKey) : settings.apiKey
  if (key === undefined) return withoutKey(settings, place, here)
  const fingerprint = fingerprintWith(await directoryKey(place.dataDir), 'key', key)
  const known = here.find(({ keys }) => keys.includes(fingerprint))
  if (known !== undefined) return current(known, settings, place)
  if (address === null) {
    const dataName = key === embeddedKey ? { dataName: embeddedDataName } : {}
    return added({ ...described(settings), ...dataName, keys: [fingerprint] }, settings, place)
  }
  // An account that no key is known of and that was made for this profile takes its first key.
  const unused = own.find(({ keys, isKeyless }) => keys.length === 0 && !isKeyless)
  const candidates = candidatesOf(settings, here, own)
  const found = await askedAccount(candidates, settings, place)
  if (found.account !== undefined) {
    // What a listener kept meanwhile as a new account's is this one's.
    const waiting = unused === found.account ? undefined : unused
    if (waiting !== undefined) sayWaiting(waiting, place)
    return rememberKey(found.account, fingerprint, settings, place, waiting)
  }
  if (unused !== undefined && !found.absent.includes(unused)) return rememberKey(unused, fingerprint, settings, place)
  sayNew(settings, own, candidates, found.absent, place)
  return added({ ...described(settings), keys: [fingerprint] }, settings, place)
}

/** The account of a command that needs no key: the profile's, or that of every account without a key at an address. */
async function withoutKey(
  settings: IdentifiedBy,
  place: IdentityPlace,
  here: readonly AccountRecord[],
): Promise<AccountRecord> {
  if (isKeyless(settings)) {
    const known = here.find((account) => account.isKeyless)
    return known ?? added({ ...described(settings), keys: [], isKeyless: true }, settings, place)
  }
  const account = here.find(({ mark }) => mark === settings.account)
  if (account === undefined && settings.isKeyUnread) return identify(await place.withKey(), place)
  return account ?? added({ ...described(settings), keys: [] }, settings, place)
}

function described(settings: IdentifiedBy): Pick<AccountRecord, 'label' | 'baseUrl' | 'environment'> {
  const { baseUrl = null, environment } = settings
  return { label: accountLabel(settings), baseUrl, environment }
}

/** The accounts that an unknown key may belong to: the profile's own first, then those that were changed last. */
function candidatesOf(
  { environment, profile }: IdentifiedBy,
  here: readonly AccountRecord[],
  own: readonly AccountRecord[],
): AccountRecord[] {
  const others = here
    .filter((account) => account.environment === environment && !account.isKeyless && !own.includes(account))
    .sort((a, b) => Number(b.label === profile) - Number(a.label === profile) || b.changedAtMs - a.changedAtMs)
  return [...own.filter(({ isKeyless }) => !isKeyless), ...others].slice(0, mostCandidates)
}

async function askedAccount(
  candidates: readonly AccountRecord[],
  settings: IdentifiedBy,
  place: IdentityPlace,
): Promise<{ account?: AccountRecord; absent: readonly AccountRecord[] }> {
  const absent: AccountRecord[] = []
  let failure: { account: AccountRecord; error: DlvError } | undefined
  for (const account of candidates) {
    try {
      const asked = await place.ask(account, settings)
      if (asked === 'found') return { account, absent }
      if (asked === 'absent') absent.push(account)
    } catch (error) {
      if (!(error instanceof DlvError)) throw error
      // A key that the service refuses is nobody's.
      if (error instanceof ApiError && error.status === 401) throw error
      failure ??= { account, error }
      // Another request would fail alike.
      break
    }
  }
  if (failure !== undefined) throw new UndecidedAccountError(settings, failure.account, failure.error)
  return { absent }
}

/** Nobody can say yet whose a new key is. */
export class UndecidedAccountError extends ConnectionError {
  constructor(settings: IdentifiedBy, account: AccountRecord, cause: DlvError) {
    const byHand =
      settings.profile === noProfile
        ? ''
        : ` Or decide it: dlv profiles add ${settings.profile} --same-account, or --new-account.`
    super(
      `${accountName(settings).replace(/^p/, 'P')} has a new key, and the service cannot say whether it belongs to the account "${account.label}", whose data is kept here: ${cause.message.replace(/\.$/, '')}.`,
      {
        reason: cause instanceof ConnectionError ? cause.reason : 'unreachable',
        hint: `Nothing was used or changed. Run the command again when the service answers.${byHand}`,
        cause,
      },
    )
  }
}

function sayNew(
  settings: IdentifiedBy,
  own: readonly AccountRecord[],
  candidates: readonly AccountRecord[],
  absent: readonly AccountRecord[],
  { notice }: IdentityPlace,
): void {
  const before = own[0] ?? candidates.find(({ label }) => label === settings.profile) ?? candidates[0]
  if (before === undefined || before.label !== accountLabel(settings)) return
  const why = absent.includes(before)
    ? 'its key does not know the deliveries of the account that was used here before'
    : 'its key is new, and nothing is kept that it could be recognized by'
  const byHand =
    settings.profile === noProfile
      ? ''
      : ` If it is the same account: dlv profiles add ${settings.profile} --same-account`
  notice(`${accountName(settings).replace(/^p/, 'P')} is a new account, which begins empty: ${why}.${byHand}`)
}

/** Keeps a new account, unless another process has just kept one with the same key. */
async function added(
  of: Parameters<typeof newAccount>[0],
  settings: IdentifiedBy,
  place: IdentityPlace,
): Promise<AccountRecord> {
  const account = await changeAccounts(place.dataDir, (accounts) => {
    const [key] = of.keys
    const other = accounts.find(
      (one) =>
        one.baseUrl === of.baseUrl && (key === undefined ? of.isKeyless && one.isKeyless : one.keys.includes(key)),
    )
    const result = other ?? newAccount({ ...of, changedAtMs: place.nowMs() })
    return { accounts: other === undefined ? [...accounts, result] : accounts, result }
  })
  await keepInProfile(account, settings, place)
  return account
}

/** Adds a key to the account that it was recognized as. */
async function rememberKey(
  { mark }: AccountRecord,
  fingerprint: string,
  settings: IdentifiedBy,
  place: IdentityPlace,
  waiting?: AccountRecord,
): Promise<AccountRecord> {
  const account = await changeAccounts(place.dataDir, (accounts) => {
    const before = accounts.find((one) => one.mark === mark) ?? newAccount({ ...described(settings), keys: [], mark })
    const result: AccountRecord = {
      ...before,
      ...described(settings),
      keys: [...new Set([...before.keys, fingerprint])],
      ...joined(before, waiting),
      changedAtMs: place.nowMs(),
    }
    const others = accounts.filter((one) => one.mark !== mark && one.mark !== waiting?.mark)
    return { accounts: [...others, result], result }
  })
  await keepInProfile(account, settings, place)
  return account
}

/** Says where webhooks are that came while nobody could say whose the key is. */
function sayWaiting({ dataName }: AccountRecord, { dataDir, notice }: IdentityPlace): void {
  const file = journalFileOf(dataDir, dataName)
  if (existsSync(file))
    notice(
      `Webhooks that came while the key could not be asked are kept apart: dlv webhooks log --journal ${shellWord(file)}`,
    )
}

/** What an account takes over of one that proved to be it. */
function joined(
  { secrets, earlierMarks = [] }: AccountRecord,
  waiting: AccountRecord | undefined,
): Partial<AccountRecord> {
  if (waiting === undefined) return {}
  return {
    secrets: [...new Set([...secrets, ...waiting.secrets])],
    earlierMarks: [...earlierMarks, waiting.mark, ...(waiting.earlierMarks ?? [])],
  }
}

/** The account with the label and the environment that it is used with now. */
async function current(account: AccountRecord, settings: IdentifiedBy, place: IdentityPlace): Promise<AccountRecord> {
  await keepInProfile(account, settings, place)
  const { label, environment } = described(settings)
  if (account.label === label && account.environment === environment) return account
  return changeAccounts(place.dataDir, (accounts) => {
    const result = { ...account, label, environment }
    return {
      accounts: accounts.map((one) => (one.mark === account.mark ? { ...one, label, environment } : one)),
      result,
    }
  })
}

/** Keeps the account's mark with its profile, so that commands which need no key find it. */
async function keepInProfile(
  { mark }: AccountRecord,
  { profile, account, formerAccount }: IdentifiedBy,
  { configDir }: IdentityPlace,
): Promise<void> {
  if (profile === noProfile || (account === mark && formerAccount === undefined)) return
  try {
    await changeProfiles(configDir, (file) => {
      const stored = Object.hasOwn(file.profiles, profile) ? file.profiles[profile] : undefined
      if (stored === undefined) return file
      const { formerAccount: _, ...rest } = stored
      return { ...file, profiles: { ...file.profiles, [profile]: { ...rest, account: mark } } }
    })
  } catch (error) {
    // The key leads to the account all the same, where the directory cannot be written.
    if (!(error instanceof UsageError)) throw error
  }
}
