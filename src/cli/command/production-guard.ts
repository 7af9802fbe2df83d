import { UsageError } from '../../contract/index.js'
import { accountName, type NamedAccount, type Settings } from '../../profiles/index.js'
import { isRecord } from '../../shared/json.js'
import { magicWords } from '../../shared/magic-words.js'
import { pathTestValue, testValues } from './test-values.js'

/** The part of an account that the guard reads. */
type Account = Pick<Settings, 'environment'> & NamedAccount

/** Rejects what must never reach production, before anything is sent. Throws `UsageError`. */
export function refuseOnProduction(account: Account, what: string): void {
  if (account.environment !== 'production') return
  throw new UsageError(`${what} works only on a sandbox; ${accountName(account)} is production.`, {
    hint: 'Choose another profile with -P; dlv profiles list shows them.',
  })
}

/** Rejects a body or a path with magic values: on production they would be real. */
export function refuseTestValuesOnProduction(settings: Account, body: unknown, path = ''): void {
  if (settings.environment !== 'production') return
  const found = testValues(body)[0] ?? pathTestValue(path)
  if (found !== undefined)
    refuseOnProduction(settings, `The test value ${JSON.stringify(found.value)} at ${found.path}`)
}

/** Rejects the header that forces a response of the sandbox: production would simply execute the request. */
export function refuseForceHeaderOnProduction(settings: Settings, headers: Readonly<Record<string, string>>): void {
  const forced = Object.keys(headers).find((name) => name.toLowerCase() === magicWords.forceHeader.toLowerCase())
  if (forced !== undefined) refuseOnProduction(settings, `The header ${forced}`)
}

/** Whether an update can raise the cost of a delivery: its tip, or anything about its package. */
export function mayRaisePrice(patch: unknown): boolean {
  return isRecord(patch) && ('tipAmountCents' in patch || 'package' in patch)
}
