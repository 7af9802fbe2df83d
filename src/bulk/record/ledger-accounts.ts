import type { DatabaseSync } from 'node:sqlite'
import { loadSqlite } from '../../shared/load-sqlite.js'

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

/** The number of orders that a ledger keeps of an account. */
export function countOrders(file: string, account: string): number {
  return usingLedger(file, true, (database) =>
    Number(database.prepare(`SELECT count(*) AS count FROM orders WHERE ${ofAccount}`).get(account)?.count),
  )
}

/** Removes an account from a ledger, with its orders. */
export function removeOrders(file: string, account: string): void {
  usingLedger(file, false, (database) => {
    database.prepare(`DELETE FROM orders WHERE ${ofAccount}`).run(account)
    database.prepare('DELETE FROM accounts WHERE name = ?').run(account)
  })
}

function usingLedger<Result>(file: string, readOnly: boolean, use: (database: DatabaseSync) => Result): Result {
  const database = new (loadSqlite().DatabaseSync)(file, { readOnly, timeout: 5_000 })
  try {
    return use(database)
  } finally {
    database.close()
  }
}
