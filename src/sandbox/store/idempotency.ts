import type { Database } from './database.js'
import type { RecordedEvent } from './events.js'

/** What is known of an idempotency key. */
export interface IdempotencyRecord {
  fingerprint: string
  createdAtMs: number
  /** The answer's body as it was sent; absent while the request is being executed. */
  body: string | undefined
  /** Until when, in real time, a request that holds the key may still be executing. */
  inFlightUntilRealMs: number | undefined
}

/** An event that was just recorded: its place, and the exact text. */
export type EventText = Pick<RecordedEvent, 'seq' | 'body'>

/** Keys of executed requests, and of those being executed, by account. */
export class IdempotencyTable {
  constructor(private readonly database: Database) {}

  get(accountId: string, key: string): IdempotencyRecord | undefined {
    const sql = `SELECT fingerprint, created_at_ms, idempotency.body, in_flight_until_real_ms, events.body AS event
      FROM idempotency LEFT JOIN events ON events.seq = event_seq WHERE idempotency.account_id = ? AND key = ?`
    const columns = this.database.get(sql, accountId, key)
    if (columns === undefined) return undefined
    const { fingerprint, created_at_ms, body, in_flight_until_real_ms, event } = columns
    const answer = typeof event === 'string' ? this.heldBy(event) : body
    return {
      fingerprint: String(fingerprint),
      createdAtMs: Number(created_at_ms),
      body: typeof answer === 'string' ? answer : undefined,
      inFlightUntilRealMs: typeof in_flight_until_real_ms === 'number' ? in_flight_until_real_ms : undefined,
    }
  }

  /** Keeps a key. An answer that ends one of the given events is not kept a second time: the event outlives the key. */
  save(accountId: string, key: string, record: IdempotencyRecord, events: readonly EventText[] = []): void {
    const sql = `INSERT OR REPLACE INTO idempotency
      (account_id, key, fingerprint, created_at_ms, body, event_seq, in_flight_until_real_ms) VALUES (?, ?, ?, ?, ?, ?, ?)`
    const { fingerprint, createdAtMs, body, inFlightUntilRealMs } = record
    const seq = events.find((event) => event.body.endsWith(`"delivery":${body}}`))?.seq
    const ownBody = seq === undefined ? (body ?? null) : null
    this.database.run(sql, accountId, key, fingerprint, createdAtMs, ownBody, seq ?? null, inFlightUntilRealMs ?? null)
  }

  /** JSON that was written here is the same when it is read and written again. */
  private heldBy(event: string): string {
    return JSON.stringify(this.database.json<{ delivery: unknown }>(event).delivery)
  }

  remove(accountId: string, key: string): void {
    this.database.run('DELETE FROM idempotency WHERE account_id = ? AND key = ?', accountId, key)
  }

  /** Forgets keys older than the given time, of the `limit` that came first: those lie in the order of their age. */
  prune(createdBeforeMs: number, limit: number): number {
    const sql = `DELETE FROM idempotency WHERE created_at_ms < ? AND place IN
      (SELECT place FROM idempotency WHERE place > 0 ORDER BY place LIMIT ?)`
    return this.database.run(sql, createdBeforeMs, limit).changes
  }
}
