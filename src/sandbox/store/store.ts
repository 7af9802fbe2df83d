import { Database } from './database.js'
import { DeliveryTable } from './deliveries.js'
import { EventTable } from './events.js'
import { FixtureTable } from './fixtures.js'
import { IdempotencyTable } from './idempotency.js'
import { LeaseTable } from './leases.js'
import { QuoteTable } from './quotes.js'
import { SettingsTable } from './settings.js'
import { clearTables, restoreSnapshot, writeSnapshot } from './snapshots.js'
import { EndpointTable, WebhookTable } from './webhooks.js'

/**
 * Everything that the sandbox keeps. Nobody outside this folder knows SQL: another engine can stand behind the same
 * members without a handler noticing.
 */
export class Store {
  readonly path: string
  readonly settings: SettingsTable
  readonly deliveries: DeliveryTable
  readonly quotes: QuoteTable
  readonly cast: FixtureTable
  readonly idempotency: IdempotencyTable
  readonly events: EventTable
  readonly endpoints: EndpointTable
  readonly webhooks: WebhookTable
  readonly leases: LeaseTable
  private readonly database: Database
  private seenVersion: number

  /** Opens or creates the file, `:memory:` for none; migrates an older one. A newer one is a `UsageError`. */
  constructor(path: string) {
    const database = new Database(path)
    this.path = path
    this.database = database
    this.settings = new SettingsTable(database)
    this.deliveries = new DeliveryTable(database)
    this.quotes = new QuoteTable(database)
    this.cast = new FixtureTable(database)
    this.idempotency = new IdempotencyTable(database)
    this.events = new EventTable(database)
    this.endpoints = new EndpointTable(database)
    this.webhooks = new WebhookTable(database)
    this.leases = new LeaseTable(database)
    this.seenVersion = database.dataVersion()
  }

  /** All of `work` or nothing of it; it sees what every process has committed before. */
  write<T>(work: () => T): T {
    const mutations = this.database.mutations
    try {
      return this.database.write(() => {
        this.refresh()
        return work()
      })
    } catch (error) {
      // What was kept in memory may stem from the work that was rolled back.
      if (this.database.mutations !== mutations) this.forget()
      throw error
    }
  }

  /** Looks for commits of other processes; `true` where there were any. */
  refresh(): boolean {
    const version = this.database.dataVersion()
    if (version === this.seenVersion) return false
    this.seenVersion = version
    this.forget()
    return true
  }

  private forget(): void {
    this.settings.refresh()
    this.cast.refresh()
    this.endpoints.refresh()
  }

  /** Empties everything within the running `write`. */
  clear(): void {
    clearTables(this.database)
    this.forget()
  }

  snapshot(file: string): void {
    writeSnapshot(this.database, file)
  }

  restore(file: string): void {
    restoreSnapshot(this.database, file)
    this.forget()
  }

  close(): void {
    this.database.close()
  }
}
