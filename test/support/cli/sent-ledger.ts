import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** What the ledger of a person keeps: orders as they were sent, their changes and the times that quotes promised. */
export function sentOf({ home }: { home: string }) {
  const database = new DatabaseSync(join(home, '.local/share/dlv/orders.db'), { readOnly: true })
  try {
    return {
      orders: database.prepare('SELECT * FROM orders ORDER BY number').all(),
      changes: database.prepare('SELECT * FROM changes ORDER BY number').all(),
      quotes: database.prepare('SELECT * FROM quotes ORDER BY quote_id').all(),
    }
  } finally {
    database.close()
  }
}
