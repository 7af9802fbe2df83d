import { DlvError } from '../../contract/index.js'
import { hasProfileKey, ResolvedAccount, type Settings, stricter } from '../../profiles/index.js'
import type { Notices } from '../output/notices.js'
import type { Account } from './account.js'

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
  if (!hasProfileKey(used)) return undefined
  try {
    const flags = { profile: used.profile, output: undefined }
    const now = await new ResolvedAccount({ ...account.accountInput(), flags }).withKey()
    const { mark } = await account.identity()
    const isSafe = stricter(now.environment, used.environment) === used.environment
    if (now.account !== mark || now.baseUrl !== used.baseUrl || !isSafe) return undefined
    if (now.apiKey === undefined || now.apiKey === refused) return undefined
    notices.notice(`The key of profile ${used.profile} was replaced: continuing with the new one.`)
    return now.apiKey
  } catch (error) {
    // A profile that is being changed or is gone has no key to continue with.
    if (error instanceof DlvError) return undefined
    throw error
  }
}
