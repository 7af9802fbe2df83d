import { DlvError } from '../../contract/index.js'
import { noProfile, ResolvedAccount, type Settings, stricter } from '../../profiles/index.js'
import type { Notices } from '../output/notices.js'
import type { Outage } from '../output/outage.js'
import type { Account } from './account.js'

/** Whether a key that is replaced reaches a command that began with these settings: it is a profile's. */
function takesNewKey({ profile, sources }: Settings): boolean {
  return profile !== noProfile && sources.apiKey?.startsWith('profile ') === true
}

/** The outages of the service of a session's account, which a refused key begins where another one can end it. */
export async function serviceOutage({
  account,
  notices,
}: {
  account: Pick<Account, 'settings'>
  notices: Notices
}): Promise<Outage> {
  const { Outage: Outages } = await import('../output/outage.js')
  return new Outages(notices, takesNewKey(await account.settings()))
}

/**
 * The key that a profile has now, if it was replaced by another one of the same account, at the same address and in no
 * stricter environment than the command began in; else `undefined`.
 *
 * @param used the settings that the command began with
 * @param refused the key that the service refuses
 */
export async function renewedKey(
  account: Pick<Account, 'accountInput' | 'identity'>,
  used: Settings,
  refused: string,
  notices: Pick<Notices, 'notice'>,
): Promise<string | undefined> {
  if (!takesNewKey(used)) return undefined
  try {
    const flags = { profile: used.profile, output: undefined }
    const now = await new ResolvedAccount({ ...account.accountInput(), flags }).withKey()
    const { mark } = await account.identity()
    const isSafe = stricter(now.environment, used.environment) === used.environment
    if (now.account !== mark || now.baseUrl !== used.baseUrl || !isSafe) return undefined
    if (now.apiKey === undefined || now.apiKey === refused) return undefined
    notices.notice(`The key of profile ${used.profile} was replaced: going on with the new one.`)
    return now.apiKey
  } catch (error) {
    // A profile that is being changed or is gone has no key to go on with.
    if (error instanceof DlvError) return undefined
    throw error
  }
}
