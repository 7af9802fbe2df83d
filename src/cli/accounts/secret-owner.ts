import { UsageError } from '../../contract/index.js'
import {
  type AccountRecord,
  changeAccounts,
  directoryKey,
  fingerprintWith,
  type NamedSecret,
  noProfile,
  readAccounts,
  type Settings,
} from '../../profiles/index.js'

/** The account at an address that a secret is known to belong to; `undefined` if it has verified nothing yet. */
export async function ownerOfSecret(
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
export async function keepSecret(account: AccountRecord, secret: string, dataDir: string): Promise<void> {
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
