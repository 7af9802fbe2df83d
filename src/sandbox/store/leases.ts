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
