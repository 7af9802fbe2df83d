import type { QuoteRow } from '../model.js'
import type { Database } from './database.js'

/** Rights that one process at a time may hold, such as that of sending webhooks; in real time. */
export class LeaseTable {
  constructor(private readonly database: Database) {}

  /** Takes or renews the right; `false` if another process holds it. */
  acquire(name: string, owner: string, nowRealMs: number, durationMs: number): boolean {
    const sql = `INSERT INTO leases (name, owner, until_real_ms) VALUES (?, ?, ?)
      ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, until_real_ms = excluded.until_real_ms
      WHERE owner = excluded.owner OR until_real_ms <= ?`
    return this.database.run(sql, name, owner, nowRealMs + durationMs, nowRealMs).changes > 0
  }

  release(name: string, owner: string): void {
    this.database.run('DELETE FROM leases WHERE name = ? AND owner = ?', name, owner)
  }
}

export class QuoteTable {
  constructor(private readonly database: Database) {}

  get(quoteId: string): QuoteRow | undefined {
    const columns = this.database.get('SELECT record FROM quotes WHERE quote_id = ?', quoteId)
    return columns === undefined ? undefined : this.database.json<QuoteRow>(columns.record)
  }

  save(quote: QuoteRow): void {
    const sql = 'INSERT OR REPLACE INTO quotes (quote_id, expires_at_ms, record) VALUES (?, ?, ?)'
    this.database.run(sql, quote.quoteId, quote.expiresAtMs, JSON.stringify(quote))
  }

  /** Forgets at most `limit` quotes that expired before the given time. */
  prune(expiredBeforeMs: number, limit: number): number {
    const sql = `DELETE FROM quotes WHERE quote_id IN
      (SELECT quote_id FROM quotes WHERE expires_at_ms < ? ORDER BY expires_at_ms LIMIT ?)`
    return this.database.run(sql, expiredBeforeMs, limit).changes
  }
}

/** Named JSON values of the file, such as the clock and the switches; kept in memory until somebody writes. */
export class SettingsTable {
  private readonly known = new Map<string, unknown>()

  constructor(private readonly database: Database) {}

  /** Forgets what is kept in memory: another process has written. */
  refresh(): void {
    this.known.clear()
  }

  get<Value>(name: string): Value | undefined {
    if (!this.known.has(name)) {
      const text = this.database.get('SELECT value FROM settings WHERE name = ?', name)?.value
      this.known.set(name, typeof text === 'string' ? this.database.json(text) : undefined)
    }
    return this.known.get(name) as Value | undefined
  }

  set(name: string, value: unknown): void {
    this.database.run('INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)', name, JSON.stringify(value))
    this.known.set(name, value)
  }

  remove(name: string): void {
    this.database.run('DELETE FROM settings WHERE name = ?', name)
    this.known.delete(name)
  }
}

/** The record of an idempotency key. */
interface IdempotencyRecord {
  fingerprint: string
  createdAtMs: number
  /** The response's body as it was sent; absent while the request is being executed. */
  body: string | undefined
  /** The end of the lease of the request that is using the key, in real time. */
  inFlightUntilRealMs: number | undefined
}

/** Idempotency keys of executed and executing requests, by account. */
export class IdempotencyTable {
  constructor(private readonly database: Database) {}

  get(accountId: string, key: string): IdempotencyRecord | undefined {
    const sql = `SELECT fingerprint, created_at_ms, body, in_flight_until_real_ms FROM idempotency
      WHERE account_id = ? AND key = ?`
    const columns = this.database.get(sql, accountId, key)
    if (columns === undefined) return undefined
    const { fingerprint, created_at_ms, body, in_flight_until_real_ms } = columns
    return {
      fingerprint: String(fingerprint),
      createdAtMs: Number(created_at_ms),
      body: typeof body === 'string' ? body : undefined,
      inFlightUntilRealMs: typeof in_flight_until_real_ms === 'number' ? in_flight_until_real_ms : undefined,
    }
  }

  save(accountId: string, key: string, record: IdempotencyRecord): void {
    const sql = `INSERT OR REPLACE INTO idempotency
      (account_id, key, fingerprint, created_at_ms, body, in_flight_until_real_ms) VALUES (?, ?, ?, ?, ?, ?)`
    const { fingerprint, createdAtMs, body, inFlightUntilRealMs } = record
    this.database.run(sql, accountId, key, fingerprint, createdAtMs, body ?? null, inFlightUntilRealMs ?? null)
  }

  remove(accountId: string, key: string): void {
    this.database.run('DELETE FROM idempotency WHERE account_id = ? AND key = ?', accountId, key)
  }

  /** Deletes keys older than the given time, among the `limit` oldest. */
  prune(createdBeforeMs: number, limit: number): number {
    const sql = `DELETE FROM idempotency WHERE created_at_ms < ? AND place IN
      (SELECT place FROM idempotency WHERE place > 0 ORDER BY place LIMIT ?)`
    return this.database.run(sql, createdBeforeMs, limit).changes
  }
}
