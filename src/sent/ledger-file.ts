import { randomInt } from 'node:crypto'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { makeFolder, makePrivateFile } from '../shared/directory.js'
import { loadSqlite } from '../shared/sqlite.js'

/**
 * An order has a row for each key and body that it was sent with, and a line for each change of it afterwards. The
 * numbers of both only grow, also when rows go: who has read up to one has read all before it.
 */
const schema = `
CREATE TABLE IF NOT EXISTS accounts (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE IF NOT EXISTS orders (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  account INTEGER NOT NULL,
  reference TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  body_hash TEXT NOT NULL,
  recorded_at_ms INTEGER NOT NULL,
  service_at_ms INTEGER,
  sent TEXT NOT NULL,
  source TEXT,
  source_line INTEGER,
  delivery_id TEXT,
  UNIQUE (account, reference, idempotency_key, body_hash)
) STRICT;
CREATE TABLE IF NOT EXISTS changes (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  account INTEGER NOT NULL,
  reference TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  line TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS changes_of_order ON changes (account, reference);
CREATE TABLE IF NOT EXISTS quotes (
  account INTEGER NOT NULL,
  quote_id TEXT NOT NULL,
  dropoff_eta TEXT NOT NULL,
  PRIMARY KEY (account, quote_id)
) STRICT, WITHOUT ROWID`

const identified = 'account = ? AND reference = ? AND idempotency_key = ? AND body_hash = ?'

/** Opens the database, which is created for its owner only. */
export function openLedgerFile(file: string): DatabaseSync {
  const { DatabaseSync } = loadSqlite()
  makeFolder(dirname(file))
  makePrivateFile(file)
  const database = new DatabaseSync(file, { timeout: 5_000 })
  // A killed process loses nothing that it has written. After a power failure, a run has its results file.
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
  database.exec(schema)
  addLines(database)
  // Tells this ledger from the next one in its place.
  if (database.prepare('PRAGMA user_version').get()?.user_version === 0)
    database.exec(`PRAGMA user_version = ${randomInt(1, 2 ** 31)}`)
  return database
}

/** A ledger of an earlier version has no lines. */
function addLines(database: DatabaseSync): void {
  const known = database.prepare("SELECT 1 FROM pragma_table_info('orders') WHERE name = 'source_line'").get()
  if (known === undefined) database.exec('ALTER TABLE orders ADD COLUMN source_line INTEGER')
}

/** What is asked of the database and written to it. */
export function ledgerStatements(database: DatabaseSync) {
  return {
    insert: database.prepare(
      `INSERT OR IGNORE INTO orders
         (account, reference, idempotency_key, body_hash, recorded_at_ms, service_at_ms, sent, source, source_line)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    find: database.prepare(`SELECT * FROM orders WHERE ${identified}`),
    become: database.prepare(`UPDATE orders SET delivery_id = ? WHERE ${identified}`),
    remove: database.prepare(`DELETE FROM orders WHERE ${identified}`),
    ofDelivery: database.prepare('SELECT * FROM orders WHERE account = ? AND reference = ? AND delivery_id = ?'),
    newestOf: database.prepare(
      'SELECT delivery_id FROM orders WHERE account = ? AND reference = ? AND delivery_id IS NOT NULL ORDER BY recorded_at_ms DESC',
    ),
    withId: database.prepare(
      'SELECT 1 FROM orders WHERE account = ? AND delivery_id = ? AND recorded_at_ms >= ? LIMIT 1',
    ),
    promise: database.prepare('INSERT OR REPLACE INTO quotes VALUES (?, ?, ?)'),
    change: database.prepare('INSERT INTO changes (account, reference, at_ms, line) VALUES (?, ?, ?, ?)'),
  }
}

export type LedgerStatements = ReturnType<typeof ledgerStatements>
