import {
  type AccountRecord,
  changeAccounts,
  changeProfiles,
  newAccount,
  noProfile,
  profileNamed,
} from '../../profiles/index.js'
import type { Notices } from '../output/notices.js'
import { type IdentifiedBy, UndecidedAccountError } from './identify.js'
import { ownerOfSecret } from './secret-owner.js'

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
