import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type AccountRecord, changeAccounts } from '../../profiles/index.js'
import { journalFileOf } from '../journal/place.js'

/** The file that keeps an account's list of installations for a day. */
export function installationListFile(dataDir: string, dataName: string): string {
  return join(dataDir, `installations-${dataName}.json`)
}

/** Something that is kept of an account on this machine. */
interface Kept {
  /** For a sentence, such as `the journal of webhooks (FILE)`. */
  text: string
  remove(): void | Promise<void>
}

/** All that is kept of an account on this machine, besides its profile. */
export async function keptOf({ dataName }: Pick<AccountRecord, 'dataName'>, dataDir: string): Promise<Kept[]> {
  const [{ archivePaths, removeDatabase }, { countSent, removeSent }] = await Promise.all([
    import('../../archive/index.js'),
    import('../../sent/index.js'),
  ])
  const kept: Kept[] = []
  const file = (what: string, path: string, remove = () => removeDatabase(path)) => {
    if (existsSync(path)) kept.push({ text: `${what} (${path})`, remove })
  }
  file('the journal of its webhooks', journalFileOf(dataDir, dataName))
  const list = installationListFile(dataDir, dataName)
  file('the list of its installations', list, () => rmSync(list, { force: true }))
  const paths = archivePaths(dataDir, dataName)
  file('its archive of deliveries and events', paths.archive, () => {
    removeDatabase(paths.archive)
    rmSync(`${paths.archive}.again`, { force: true })
  })
  file('names and addresses of its archive', paths.people)
  const sent = join(dataDir, 'orders.db')
  const { orders, promises } = existsSync(sent) ? countSent(sent, dataName) : { orders: 0, promises: 0 }
  if (orders + promises > 0)
    kept.push({
      text: `${orders} ${orders === 1 ? 'order' : 'orders'}${promises === 0 ? '' : ' and promised times'} in the ledger (${sent})`,
      remove: () => removeSent(sent, dataName),
    })
  return kept
}

/** Removes all that is kept of an account, and the account itself. */
export async function removeKept(account: AccountRecord, dataDir: string): Promise<void> {
  for (const { remove } of await keptOf(account, dataDir)) await remove()
  await changeAccounts(dataDir, (accounts) => ({
    accounts: accounts.filter(({ mark }) => mark !== account.mark),
    result: undefined,
  }))
}
