import type { Database } from './database.js'

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
