import { UsageError } from '../../contract/index.js'
import { accountName, type Settings } from '../../profiles/index.js'

/**
 * The id of the sandbox account that is named, or that the API key in use belongs to; `undefined` for the default one. A
 * control request names the account by it, so that no key is sent.
 *
 * @throws UsageError if it is not an account of the sandbox
 */
export async function accountIdOf(
  settings: Pick<Settings, 'apiKey' | 'baseUrl' | 'profile'>,
  named?: string,
): Promise<string | undefined> {
  const account = named ?? settings.apiKey
  if (account === undefined) return undefined
  const { accountNamed } = await import('../../sandbox/internal.js')
  const known = accountNamed(account)
  if (known !== undefined) return known.accountId
  const what = named === undefined ? `The key of ${accountName(settings)}` : `--account "${named.slice(0, 40)}"`
  throw new UsageError(`${what} is not an account of the sandbox.`, {
    hint: 'dlv sandbox status --json lists its accounts.',
  })
}
