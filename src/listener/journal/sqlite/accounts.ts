import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { type AccountRow, accountAmong, type DatabaseAccount, markAmong } from '../../../postgres/index.js'
import { tryParseJson } from '../../../shared/json.js'
import type { OtherAccount } from '../reader.js'
import { journalError, reading } from './failure.js'
import { openJournalDatabase, openJournalForReading } from './schema.js'

/** A condition on a row of `events`: it belongs to one of these accounts, or to any unless they are given. */
export function ofAccounts(accounts: readonly string[] | undefined): string {
  if (accounts === undefined) return 'TRUE'
  return `account IN (${accounts.map(literal).join(', ')})`
}

/** In hexadecimal, so that a name may hold any character. */
function literal(text: string): string {
  return `CAST(x'${Buffer.from(text, 'utf8').toString('hex')}' AS TEXT)`
}

/** How many events of other accounts a journal holds. */
export function otherAccounts(
  database: DatabaseSync,
  file: string,
  accounts: readonly string[] | undefined,
): OtherAccount[] {
  if (accounts === undefined) return []
  const others = database.prepare(
    `SELECT account, count(*) AS events FROM events WHERE NOT (${ofAccounts(accounts)}) GROUP BY account ORDER BY account`,
  )
  return reading(file, () => others.all()).map(({ account, events }) => ({
    account: String(account),
    events: Number(events),
  }))
}

/** The marks of accounts in a journal file; those that it does not know yet are added if it is to be written. */
export async function sqliteMarks(
  file: string,
  accounts: readonly DatabaseAccount[],
  isWriting: boolean,
): Promise<string[]> {
  if (!isWriting && !existsSync(file)) return accounts.map(({ mark }) => mark)
  const database = isWriting ? openJournalDatabase(file) : openJournalForReading(file)
  try {
    const marks: string[] = []
    for (const account of accounts)
      marks.push(isWriting ? await keptMark(database, account) : await markAmong(accountRows(database), account))
    return marks
  } catch (error) {
    throw journalError(file, error, isWriting ? 'write' : 'read')
  } finally {
    database.close()
  }
}

async function keptMark(database: DatabaseSync, account: DatabaseAccount): Promise<string> {
  const { mark, changed } = await accountAmong(accountRows(database), account)
  const keep = database.prepare(
    'INSERT INTO accounts VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET marks = excluded.marks, keys = excluded.keys',
  )
  for (const row of changed)
    keep.run(row.mark, row.service, row.salt, JSON.stringify(row.marks), JSON.stringify(row.keys))
  return mark
}

function accountRows(database: DatabaseSync): AccountRow[] {
  return database
    .prepare('SELECT mark, service, salt, marks, keys FROM accounts')
    .all()
    .map(({ mark, service, salt, marks, keys }) => ({
      mark: String(mark),
      service: String(service),
      salt: String(salt),
      marks: textsOf(marks),
      keys: textsOf(keys),
    }))
}

function textsOf(json: unknown): string[] {
  const list = tryParseJson(String(json))?.value
  return Array.isArray(list) ? list.map(String) : []
}
