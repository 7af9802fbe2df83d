import { closeSync, existsSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { type AccountRecord, changeAccounts } from '../../profiles/index.js'
import { isRecord, tryParseJson } from '../../shared/json.js'
import { monthlyFiles } from '../../shared/monthly-files.js'
import { journalFileOf } from '../journal/place.js'

/** Something that is kept of an account on this machine. */
interface Kept {
  /** For a sentence, such as `the journal of webhooks (FILE)`. */
  text: string
  remove(): void | Promise<void>
}

/** All that is kept of an account on this machine, besides its profile. */
export async function keptOf({ dataName }: Pick<AccountRecord, 'dataName'>, dataDir: string): Promise<Kept[]> {
  const [{ archivePaths, removeDatabase }, { countOrders, removeOrders }] = await Promise.all([
    import('../../archive/index.js'),
    import('../../bulk/internal.js'),
  ])
  const kept: Kept[] = []
  const file = (what: string, path: string, remove = () => removeDatabase(path)) => {
    if (existsSync(path)) kept.push({ text: `${what} (${path})`, remove })
  }
  file('the journal of its webhooks', journalFileOf(dataDir, dataName))
  const paths = archivePaths(dataDir, dataName)
  file('its archive of deliveries and events', paths.archive, () => {
    removeDatabase(paths.archive)
    rmSync(`${paths.archive}.again`, { force: true })
  })
  file('names and addresses of its archive', paths.people)
  const orders = join(dataDir, 'orders.db')
  const count = existsSync(orders) ? countOrders(orders, dataName) : 0
  if (count > 0)
    kept.push({
      text: `${count} ${count === 1 ? 'order' : 'orders'} in the ledger (${orders})`,
      remove: () => removeOrders(orders, dataName),
    })
  const quotes = monthlyFiles(join(dataDir, 'quotes')).filter((path) => linesOf(path, dataName).length > 0)
  if (quotes.length > 0)
    kept.push({
      text: `promised times of its orders (${join(dataDir, 'quotes')})`,
      remove: () => {
        for (const path of quotes) blankLines(path, linesOf(path, dataName))
      },
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

interface Line {
  offset: number
  length: number
}

/** The account's lines of a file, in bytes. */
function linesOf(path: string, dataName: string): Line[] {
  const bytes = readFileSync(path)
  const lines: Line[] = []
  for (let offset = 0; offset < bytes.length; ) {
    const end = bytes.indexOf(10, offset)
    const length = (end === -1 ? bytes.length : end) - offset
    const line = tryParseJson(bytes.toString('utf8', offset, offset + length))?.value
    if (isRecord(line) && line.profile === dataName) lines.push({ offset, length })
    offset += length + 1
  }
  return lines
}

/** Overwrites lines in place: other processes append to the file, and archives know how far they have read it. */
function blankLines(path: string, lines: readonly Line[]): void {
  const descriptor = openSync(path, 'r+')
  try {
    for (const { offset, length } of lines) writeSync(descriptor, ' '.repeat(length), offset)
  } finally {
    closeSync(descriptor)
  }
}
