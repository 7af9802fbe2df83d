import { UsageError } from '../../contract/index.js'
import { accountName, type Settings } from '../../profiles/index.js'
import { refuseOnProduction } from '../command/production-guard.js'
import { embeddedFile } from '../session/embedded-sandbox.js'
import type { Session } from '../session/session.js'
import { embeddedControl, type SandboxControl, servedControl } from './control.js'

/**
 * The id of the sandbox account that is named, or that the API key in use belongs to; `undefined` for the default one. A
 * control request names the account by it, so that no key is sent.
 *
 * @throws UsageError if it is not an account of the sandbox
 */
export async function accountIdOf(
  control: SandboxControl,
  settings: Pick<Settings, 'apiKey' | 'baseUrl' | 'profile'>,
  named?: string,
): Promise<string | undefined> {
  const account = named ?? settings.apiKey
  if (account === undefined) return undefined
  const isNamed = (one: Pick<SandboxAccount, 'accountId' | 'apiKey'>) =>
    [one.apiKey, one.accountId, one.accountId.replace('acc_', '')].includes(account)
  const { accounts } = await import('../../sandbox/internal.js')
  const known = accounts.find(isNamed) ?? (await accountsIn(control)).find(isNamed)
  if (known !== undefined) return known.accountId
  const what = named === undefined ? `The key of ${accountName(settings)}` : `--account "${named.slice(0, 40)}"`
  throw new UsageError(`${what} is not an account of the sandbox.`, {
    hint: 'dlv sandbox accounts list shows its accounts.',
  })
}

/** An account of a sandbox, with the key that opens it. */
export interface SandboxAccount {
  name: string
  accountId: string
  type: string
  requestsPerSecond: number
  livemode: boolean
  /** Whether it was added to those that every sandbox has. */
  added: boolean
  apiKey: string
}

/** The accounts of a sandbox. */
export async function accountsIn(control: SandboxControl): Promise<SandboxAccount[]> {
  return ((await control('GET', '/accounts')) as { accounts: SandboxAccount[] }).accounts
}

/**
 * The control API of the session's sandbox, embedded or served.
 *
 * @param options `replaceDamaged` replaces a damaged file of the embedded sandbox with an empty state, and says so
 * @throws UsageError on production
 */
export async function controlOf(session: Session, options: { replaceDamaged?: boolean } = {}): Promise<SandboxControl> {
  const settings = await sandboxSettings(session)
  const { account, output } = session
  const control =
    settings.baseUrl === undefined
      ? embeddedControl(await account.sandbox(options))
      : await servedControl(settings.baseUrl, account.proofPlace)
  output.followClock(async () => Date.parse(((await control('GET', '/clock')) as { now: string }).now))
  return control
}

/** The location of the state, for a question: a file, or the URL of the sandbox that serves it. */
export async function stateName(session: Session): Promise<string> {
  const { baseUrl } = await sandboxSettings(session)
  return baseUrl ?? embeddedFile(session.config.dataDir)
}

/** The account that endpoints and secrets belong to: the named one, or the one of the API key in use. */
export async function accountChoice(
  { account }: Session,
  control: SandboxControl,
  named?: string,
): Promise<{ account?: string }> {
  const accountId = await accountIdOf(control, await account.settings({ needsKey: false }), named)
  return accountId === undefined ? {} : { account: accountId }
}

async function sandboxSettings({ account, command }: Session) {
  const settings = await account.settings({ needsKey: false })
  refuseOnProduction(settings, command)
  return settings
}
