import { AttemptTable } from './attempts.js'
import { Database } from './database.js'
import { DeliveryTable } from './deliveries.js'
import { EndpointTable } from './endpoints.js'
import { EventTable } from './events.js'
import { DamagedFileError, setAside } from './file-errors.js'
import { FixtureTable } from './fixtures.js'
import { IdempotencyTable, LeaseTable, QuoteTable, SettingsTable } from './small-tables.js'
import { clearTables, removeRowsOf, restoreSnapshot, writeSnapshot } from './snapshots.js'
import { WebhookTable } from './webhooks.js'
import { WriteGroup } from './write-group.js'

/** Settings that belong to the running program rather than to the state: they outlive a restore. */
const ofTheProgram = ['publicUrl', 'runs']

/**
 * Everything that the sandbox keeps. Nobody outside this folder knows SQL: another engine can stand behind the same
 * members without a handler noticing.
 */
export class Store {
  readonly path: string
  readonly settings: SettingsTable
  readonly deliveries: DeliveryTable
  readonly quotes: QuoteTable
  readonly fixtures: FixtureTable
  readonly idempotency: IdempotencyTable
  readonly events: EventTable
  readonly endpoints: EndpointTable
  readonly webhooks: WebhookTable
  readonly attempts: AttemptTable
  readonly leases: LeaseTable
  private readonly database: Database
  private readonly group: WriteGroup
  private seenVersion: number
  private isFresh = false

  /** The name that a damaged file was given, if one was replaced with an empty state. */
  damagedFile: string | undefined

  /**
   * Opens or creates the file, `:memory:` for none.
   *
   * @param replacesDamaged whether a damaged file is set aside for an empty state
   * @throws {UsageError} if the file cannot be used, {@link DamagedFileError} if it is damaged
   */
  constructor(path: string, replacesDamaged = false) {
    const database = replacesDamaged ? this.openAfresh(path) : new Database(path)
    this.path = path
    this.database = database
    this.settings = new SettingsTable(database)
    this.deliveries = new DeliveryTable(database)
    this.quotes = new QuoteTable(database)
    this.fixtures = new FixtureTable(database)
    this.idempotency = new IdempotencyTable(database)
    this.events = new EventTable(database)
    this.endpoints = new EndpointTable(database)
    this.webhooks = new WebhookTable(database)
    this.attempts = new AttemptTable(database)
    this.leases = new LeaseTable(database)
    this.seenVersion = database.dataVersion()
    this.group = new WriteGroup({
      write: (work) => this.write(work),
      get isWriting() {
        return database.isWriting
      },
      get mutations() {
        return database.mutations
      },
    })
  }

  /** All of `work` or nothing of it; it sees what every process has committed before. */
  write<T>(work: () => T): T {
    return this.forgettingFailures(() =>
      this.database.write(() => {
        this.refresh()
        return work()
      }),
    )
  }

  /** `write` for one of many requests: those that arrive together share a commit. Settles after it. */
  writeTogether<T>(work: () => T): Promise<T> {
    return this.group.add(work)
  }

  /** Clears the caches after a failure: they may contain data that was rolled back. */
  private forgettingFailures<T>(work: () => T): T {
    const mutations = this.database.mutations
    try {
      return work()
    } catch (error) {
      if (this.database.mutations !== mutations) this.forget()
      throw error
    }
  }

  /** `refresh`, at most once in a turn of the event loop: requests that arrived together see the same state. */
  refreshThisTurn(): void {
    if (this.isFresh) return
    this.isFresh = true
    setImmediate(() => {
      this.isFresh = false
    })
    this.refresh()
  }

  /** Looks for commits of other processes; `true` if there were any. */
  refresh(): boolean {
    const version = this.database.dataVersion()
    if (version === this.seenVersion) return false
    this.seenVersion = version
    this.forget()
    return true
  }

  private forget(): void {
    this.settings.refresh()
    this.fixtures.refresh()
    this.endpoints.refresh()
  }

  /** Empties everything within the running `write`. */
  clear(): void {
    clearTables(this.database)
    this.forget()
  }

  /** Removes everything of an account within the running `write`. */
  removeAccount(accountId: string): void {
    removeRowsOf(this.database, accountId)
    this.forget()
  }

  snapshot(file: string): void {
    writeSnapshot(this.database, file)
  }

  /** Takes over the state of a snapshot. Answers with the name that a damaged file of this store was given. */
  restore(file: string): string | undefined {
    try {
      restoreSnapshot(this.database, file, ofTheProgram)
      return undefined
    } catch (error) {
      if (!(error instanceof DamagedFileError)) throw error
      const kept = this.startOver()
      restoreSnapshot(this.database, file, ofTheProgram)
      return kept
    } finally {
      this.forget()
    }
  }

  /** Replaces a damaged file with an empty one. Answers with the name that the damaged one was given. */
  startOver(): string {
    const kept = this.database.startOver()
    this.forget()
    return kept
  }

  private openAfresh(path: string): Database {
    try {
      const database = new Database(path)
      if (database.isWhole()) return database
      database.close()
    } catch (error) {
      if (!(error instanceof DamagedFileError)) throw error
    }
    this.damagedFile = setAside(path)
    return new Database(path)
  }

  close(): void {
    this.database.close()
  }
}
