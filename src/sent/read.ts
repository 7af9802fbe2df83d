import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { isRecord, textOf, tryParseJson } from '../shared/json.js'
import { loadSqlite } from '../shared/sqlite.js'
import { type SentLine, type SentOrder, SentOrders } from './facts.js'
import { shownOf } from './kept.js'
import { removeTexts } from './texts.js'

/** How far orders and their changes were read, of which ledger: one that was moved away is followed by another. */
export type SentPosition = Readonly<Record<'ledger' | 'orders' | 'changes', number>>

/** The lines of an account, of one order or behind a position, in the order of their times. */
function* sentLines(
  database: DatabaseSync,
  accountId: number,
  reference?: string,
  { orders, changes }: Pick<SentPosition, 'orders' | 'changes'> = { orders: 0, changes: 0 },
): Generator<SentLine> {
  const isOne = reference === undefined ? '' : 'AND reference = :reference'
  const rows = database.prepare(
    `SELECT recorded_at_ms AS at_ms, 0 AS is_change, number, reference, idempotency_key, source, ${lineOf(database)} AS source_line, sent AS text
       FROM orders WHERE account = :account AND number > :orders ${isOne}
     UNION ALL SELECT at_ms, 1, number, reference, NULL, NULL, NULL, line
       FROM changes WHERE account = :account AND number > :changes ${isOne}
     ORDER BY 1, 2, 3`,
  )
  const known = { account: accountId, orders, changes, ...(reference === undefined ? {} : { reference }) }
  for (const row of rows.iterate(known)) {
    const read = tryParseJson(String(row.text))?.value
    if (row.is_change === 1) yield read as SentLine
    else if (row.reference !== '')
      yield {
        clientOrderReference: String(row.reference),
        sent: {
          sentAt: new Date(Number(row.at_ms)).toISOString(),
          idempotencyKey: textOf(row.idempotency_key),
          file: textOf(row.source),
          ...(typeof row.source_line === 'number' ? { line: row.source_line } : {}),
          ...shownOf(isRecord(read) ? read : {}),
        },
      }
  }
}

/** A ledger of an earlier version that nothing was written to since has no lines. */
function lineOf(database: DatabaseSync): string {
  const known = database.prepare("SELECT 1 FROM pragma_table_info('orders') WHERE name = 'source_line'").get()
  return known === undefined ? 'NULL' : 'source_line'
}

export function sentOrders(
  database: DatabaseSync,
  accountId: number,
  reference?: string,
): ReadonlyMap<string, SentOrder> {
  const sent = new SentOrders()
  for (const line of sentLines(database, accountId, reference)) sent.add(line)
  return sent.orders
}

export function etaOf(database: DatabaseSync, accountId: number, quoteId: string): string | undefined {
  const row = database
    .prepare('SELECT dropoff_eta FROM quotes WHERE account = ? AND quote_id = ?')
    .get(accountId, quoteId)
  return textOf(row?.dropoff_eta)
}

/** The orders of an account that were sent or changed behind a position, and the position of the newest. */
interface NewOrders {
  lines: Iterable<SentLine>
  position: SentPosition
  etaOf(quoteId: string): string | undefined
}

/**
 * Reads what was sent since; all of it if the file is another one than before. Nothing if it is missing or damaged.
 *
 * @param use called with what is new
 */
export function readSentSince(
  file: string,
  account: string,
  since: SentPosition | undefined,
  use: (found: NewOrders) => void,
): void {
  if (!existsSync(file)) return
  try {
    usingLedger(file, true, (database) => {
      const id = Number(database.prepare('SELECT id FROM accounts WHERE name = ?').get(account)?.id ?? -1)
      const newest = (table: string) =>
        Number(database.prepare(`SELECT seq FROM sqlite_sequence WHERE name = ?`).get(table)?.seq ?? 0)
      const ledger = Number(database.prepare('PRAGMA user_version').get()?.user_version)
      const position = { ledger, orders: newest('orders'), changes: newest('changes') }
      const isSame = since?.ledger === ledger
      if (isSame && since.orders === position.orders && since.changes === position.changes) return
      const lines = sentLines(database, id, undefined, isSame ? since : undefined)
      use({ lines, position, etaOf: (quoteId) => etaOf(database, id, quoteId) })
    })
  } catch (error) {
    diskError(error)
  }
}

/** The error of the file system or of SQLite; any other is thrown. */
export function diskError(error: unknown): Error {
  if (error instanceof Error && ('syscall' in error || 'errcode' in error)) return error
  throw error
}

/**
 * The newest orders of an account that became deliveries.
 *
 * @throws the error of the file system or of SQLite if the ledger cannot be read
 */
export function newestOrders(
  file: string,
  account: string,
  limit: number,
): { deliveryId: string; reference: string | null }[] {
  return usingLedger(file, true, (database) => {
    const rows = database
      .prepare(
        `SELECT reference, delivery_id FROM orders JOIN accounts ON accounts.id = orders.account
         WHERE accounts.name = ? AND delivery_id IS NOT NULL ORDER BY recorded_at_ms DESC LIMIT ?`,
      )
      .all(account, limit)
    return rows.map(({ reference, delivery_id }) => ({
      deliveryId: String(delivery_id),
      reference: reference === '' ? null : String(reference),
    }))
  })
}

const ofAccount = 'account = (SELECT id FROM accounts WHERE name = ?)'

/** The number of orders that a ledger keeps of an account, and of their promises: quotes and changes. */
export function countSent(file: string, account: string): { orders: number; promises: number } {
  return usingLedger(file, true, (database) => {
    const count = (table: string) =>
      Number(database.prepare(`SELECT count(*) AS count FROM ${table} WHERE ${ofAccount}`).get(account)?.count)
    return { orders: count('orders'), promises: count('quotes') + count('changes') }
  })
}

/** Removes an account from a ledger, with its orders. */
export function removeSent(file: string, account: string): void {
  usingLedger(file, false, (database) => {
    for (const table of ['orders', 'changes', 'quotes'])
      database.prepare(`DELETE FROM ${table} WHERE ${ofAccount}`).run(account)
    database.prepare('DELETE FROM accounts WHERE name = ?').run(account)
  })
  removeTexts(file, account)
}

function usingLedger<Result>(file: string, readOnly: boolean, use: (database: DatabaseSync) => Result): Result {
  const database = new (loadSqlite().DatabaseSync)(file, { readOnly, timeout: 5_000 })
  try {
    return use(database)
  } finally {
    database.close()
  }
}
