import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { makePrivateFile } from '../shared/directory.js'
import { dayMs } from '../shared/durations.js'
import { isRecord, tryParseJson } from '../shared/json.js'
import { loadSqlite } from '../shared/sqlite.js'
import { mergePatch } from '../trade/updates.js'

/** The words of an order that may name a person or a thing: `null` for one that was removed. */
export interface OrderTexts {
  description?: unknown
  items?: unknown
  /** By name; `null` for one that was removed. */
  metadata?: unknown
}

/** The words of an order or of a change of one, as they were sent. */
export interface SentTexts {
  clientOrderReference: string
  /** When they were sent, in milliseconds since the epoch. */
  atMs: number
  texts: OrderTexts
}

/** Words that no archive has taken are removed after this time. */
const keptMs = 30 * dayMs

/** The file beside a ledger in which words wait until the archive takes them. */
export function textsFile(ledgerFile: string): string {
  return join(dirname(ledgerFile), 'orders.people.db')
}

/** The words of an order or a patch; `undefined` if it has none. */
export function textsOf(order: unknown): OrderTexts | undefined {
  if (!isRecord(order)) return undefined
  const { package: cargo, metadata } = order
  const texts: OrderTexts = {}
  if (isRecord(cargo)) {
    if (cargo.description !== undefined) texts.description = cargo.description
    if (cargo.items !== undefined) texts.items = cargo.items
  }
  if (metadata !== undefined) texts.metadata = metadata
  return Object.keys(texts).length === 0 ? undefined : texts
}

/** Words after later ones: those that a change names replace them, metadata one by one. */
export function withLaterTexts(before: OrderTexts, later: OrderTexts): OrderTexts {
  const metadata = 'metadata' in later ? mergePatch(before.metadata, later.metadata) : before.metadata
  return { ...before, ...later, ...(metadata === undefined ? {} : { metadata }) }
}

/** Keeps words until the archive takes them. What cannot be written is told of once, and the order is sent all the same. */
export class WaitingTexts {
  #open: ReturnType<typeof opened> | undefined
  #pending: ((statements: ReturnType<typeof opened>) => void)[] = []
  #isBroken = false

  constructor(
    private readonly file: string,
    private readonly account: string,
    private readonly nowMs: () => number,
    private readonly onFailure: (error: Error) => void,
  ) {}

  /** @param key tells orders with one reference apart; empty for a change */
  add(reference: string, key: string, texts: OrderTexts | undefined): void {
    if (texts === undefined || reference === '') return
    const values = [this.account, reference, key, Math.round(this.nowMs()), JSON.stringify(texts)] as const
    this.#pending.push(({ insert }) => insert.run(...values))
  }

  /** Removes those of an order that the service refused. */
  remove(reference: string, key: string): void {
    this.#pending.push(({ remove }) => remove.run(this.account, reference, key))
  }

  flush(): void {
    const writes = this.#pending.splice(0)
    if (writes.length === 0 || this.#isBroken) return
    try {
      this.#open ??= opened(this.file, Math.round(this.nowMs() - keptMs))
      const { database } = this.#open
      database.exec('BEGIN IMMEDIATE')
      for (const write of writes) write(this.#open)
      database.exec('COMMIT')
    } catch (error) {
      this.#isBroken = true
      this.onFailure(error instanceof Error ? error : new Error(String(error)))
    }
  }

  close(): void {
    this.flush()
    this.#open?.database.close()
    this.#open = undefined
  }
}

/** The file and its statements, for a run that uses each thousands of times. */
function opened(file: string, sinceMs: number) {
  makePrivateFile(file)
  const database = new (loadSqlite().DatabaseSync)(file, { timeout: 5_000 })
  // Bytes of words that are removed are overwritten.
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON;
    CREATE TABLE IF NOT EXISTS texts (number INTEGER PRIMARY KEY AUTOINCREMENT, account TEXT NOT NULL,
      reference TEXT NOT NULL, idempotency_key TEXT NOT NULL, at_ms INTEGER NOT NULL, texts TEXT NOT NULL) STRICT;
    CREATE INDEX IF NOT EXISTS texts_of_order ON texts (reference)`)
  database.prepare('DELETE FROM texts WHERE at_ms < ?').run(sinceMs)
  return {
    database,
    insert: database.prepare(
      'INSERT INTO texts (account, reference, idempotency_key, at_ms, texts) VALUES (?, ?, ?, ?, ?)',
    ),
    remove: database.prepare('DELETE FROM texts WHERE account = ? AND reference = ? AND idempotency_key = ?'),
  }
}

/**
 * Hands an account's waiting words over, and removes them once `use` has returned. Nothing if there are none, or their file
 * is damaged.
 */
export function takeTexts(ledgerFile: string, account: string, use: (found: readonly SentTexts[]) => void): void {
  withTexts(ledgerFile, (database) => {
    const rows = database
      .prepare('SELECT number, reference, at_ms, texts FROM texts WHERE account = ? ORDER BY number')
      .all(account)
    const newest = rows.at(-1)?.number
    if (newest === undefined) return
    use(
      rows.flatMap(({ reference, at_ms, texts }) => {
        const read = tryParseJson(String(texts))?.value
        return isRecord(read) ? [{ clientOrderReference: String(reference), atMs: Number(at_ms), texts: read }] : []
      }),
    )
    removeOf(database, account, newest)
  })
}

/** Removes an account's waiting words. */
export function removeTexts(ledgerFile: string, account: string): void {
  withTexts(ledgerFile, (database) => removeOf(database, account, Number.MAX_SAFE_INTEGER))
}

/** The words of an order that still wait; empty if there are none. */
export function waitingTexts(ledgerFile: string, account: string, reference: string): OrderTexts {
  let found: OrderTexts = {}
  withTexts(ledgerFile, (database) => {
    const rows = database
      .prepare('SELECT texts FROM texts WHERE account = ? AND reference = ? ORDER BY number')
      .all(account, reference)
    for (const { texts } of rows) {
      const read = tryParseJson(String(texts))?.value
      if (isRecord(read)) found = withLaterTexts(found, read)
    }
  })
  return found
}

function removeOf(database: DatabaseSync, account: string, upTo: unknown): void {
  database.prepare('DELETE FROM texts WHERE account = ? AND number <= ?').run(account, Number(upTo))
  // Its log still has the bytes.
  database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()
}

function withTexts(ledgerFile: string, use: (database: DatabaseSync) => void): void {
  const file = textsFile(ledgerFile)
  if (!existsSync(file)) return
  const database = new (loadSqlite().DatabaseSync)(file, { timeout: 5_000 })
  try {
    database.exec('PRAGMA secure_delete = ON')
    if (database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'texts'").get() !== undefined) use(database)
  } finally {
    database.close()
  }
}
