import type { Database } from './database.js'

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
