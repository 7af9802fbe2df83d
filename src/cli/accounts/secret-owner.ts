import { UsageError } from '../../contract/index.js'
import {
  type AccountRecord,
  changeAccounts,
  changeProfiles,
  directoryKey,
  fingerprintWith,
  type NamedSecret,
  newAccount,
  noProfile,
  profileNamed,
  readAccounts,
  type Settings,
} from '../../profiles/index.js'
import type { Notices } from '../output/notices.js'
import { type IdentifiedBy, UndecidedAccountError } from './identify.js'

/** The account at an address that a secret is known to belong to; `undefined` if it has verified nothing yet. */
async function ownerOfSecret(
  dataDir: string,
  baseUrl: string | null,
  secret: string,
): Promise<AccountRecord | undefined> {
  const accounts = readAccounts(dataDir).filter((one) => one.baseUrl === baseUrl && one.secrets.length > 0)
  if (accounts.length === 0) return undefined
  const fingerprint = fingerprintWith(await directoryKey(dataDir), 'secret', secret)
  return accounts.find(({ secrets }) => secrets.includes(fingerprint))
}

/**
 * Refuses secrets that have verified webhooks of another account at the same address: an event of that account would be
 * taken, forwarded and signed as one of this.
 *
 * @throws UsageError that names the secret and the account
 */
export async function refuseForeignSecrets(
  secrets: readonly NamedSecret[],
  account: AccountRecord,
  { dataDir, settings }: { dataDir: string; settings: Pick<Settings, 'profile'> },
): Promise<void> {
  if (account.baseUrl === null) return
  for (const { name, secret } of secrets) {
    const owner = await ownerOfSecret(dataDir, account.baseUrl, secret)
    if (owner === undefined || owner.mark === account.mark) continue
    const { profile } = settings
    const ways =
      profile === noProfile
        ? 'Give the secret of this account.'
        : `Store its own: dlv profiles secrets add ${profile} FILE. If it is the same account under a new key: dlv profiles add ${profile} --same-account`
    const whose = owner.label === account.label ? 'the account that was used here before' : `account "${owner.label}"`
    throw new UsageError(
      `The secret "${name}" belongs to ${whose}: it has verified that account's webhooks. Nothing was received or sent.`,
      { hint: ways },
    )
  }
}

/** Remembers a secret that has verified a webhook as the account's. */
async function keepSecret(account: AccountRecord, secret: string, dataDir: string): Promise<void> {
  if (account.baseUrl === null) return
  const fingerprint = fingerprintWith(await directoryKey(dataDir), 'secret', secret)
  const isKnown = readAccounts(dataDir).some(
    (one) => one.baseUrl === account.baseUrl && one.secrets.includes(fingerprint),
  )
  if (isKnown) return
  await changeAccounts(dataDir, (accounts) => ({
    accounts: accounts.map((one) =>
      one.mark === account.mark ? { ...one, secrets: [...new Set([...one.secrets, fingerprint])] } : one,
    ),
    result: undefined,
  }))
}

/** Remembers each secret of an account with the first webhook that it verifies. */
export function secretKeeper(
  account: AccountRecord,
  secrets: () => readonly NamedSecret[],
  dataDir: string,
): (name: string) => void {
  const kept = new Set<string>()
  return (name) => {
    const secret = secrets().find((one) => one.name === name)?.secret
    if (secret === undefined || kept.has(secret)) return
    kept.add(secret)
    // What cannot be kept is recognized by the next webhook.
    keepSecret(account, secret, dataDir).catch(() => kept.delete(secret))
  }
}

/** The surroundings of a listener whose account is to be found. */
interface ListeningPlace {
  dataDir: string
  configDir: string
  notices: Pick<Notices, 'notice'>
  label: string
  /** The secrets that it verifies with. */
  secrets: readonly { secret: string }[]
}

/**
 * The account of a listener. Webhooks are received also while nobody can say whose a new key is: then the secret decides,
 * which has verified webhooks of its account before; with a secret that is new as well, what comes is kept as a new
 * account's until the key can be asked.
 */
export async function listeningAccount(
  identity: () => Promise<AccountRecord>,
  settings: IdentifiedBy,
  place: ListeningPlace,
): Promise<AccountRecord> {
  try {
    return await identity()
  } catch (error) {
    if (!(error instanceof UndecidedAccountError)) throw error
    const owner = await ownerOf(settings, place)
    if (owner !== undefined) {
      place.notices.notice(
        `The key is new and the service does not answer: the secret says that this is the account "${owner.label}".`,
      )
      return owner
    }
    place.notices.notice(
      "The key and the secret are new and the service does not answer: what comes is kept as a new account's until the key can be asked.",
    )
    return waitingAccount(settings, place)
  }
}

async function ownerOf(settings: IdentifiedBy, { dataDir, secrets }: ListeningPlace) {
  const baseUrl = settings.baseUrl ?? null
  for (const { secret } of secrets) {
    const owner = await ownerOfSecret(dataDir, baseUrl, secret)
    if (owner !== undefined) return owner
  }
  return undefined
}

/** An account without a key, which takes the profile's once that can be asked; the one before stays a candidate. */
async function waitingAccount(
  settings: IdentifiedBy,
  { dataDir, configDir, label }: ListeningPlace,
): Promise<AccountRecord> {
  const { baseUrl = null, environment, profile } = settings
  const account = newAccount({ label, baseUrl, environment, keys: [] })
  await changeAccounts(dataDir, (accounts) => ({ accounts: [...accounts, account], result: undefined }))
  if (profile !== noProfile)
    await changeProfiles(configDir, (file) => {
      const stored = profileNamed(file, profile)
      if (stored === undefined) return file
      const formerAccount = stored.formerAccount ?? stored.account
      const changed = { ...stored, account: account.mark, ...(formerAccount === undefined ? {} : { formerAccount }) }
      return { ...file, profiles: { ...file.profiles, [profile]: changed } }
    })
  return account
}
