import type { QuoteRow } from '../model.js'
import type { Database } from './database.js'

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
