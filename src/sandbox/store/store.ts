import type { DriverRow, InstallationRow } from '../model.js'
import { AttemptTable, EndpointTable } from './attempts.js'
import { DamagedFileError, Database, setAside } from './database.js'
import { DeliveryTable } from './deliveries.js'
import { EventTable } from './events.js'
import { IdempotencyTable, LeaseTable, QuoteTable, SettingsTable } from './idempotency-quotes-settings.js'
import { clearTables, removeRowsOf, restoreSnapshot, writeSnapshot } from './snapshots.js'
import { WebhookTable } from './webhooks.js'

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

/** Installations and drivers: few, read at nearly every request, so they are kept in memory until somebody writes. */
class FixtureTable {
  private knownInstallations: Map<string, InstallationRow> | undefined
  private knownDrivers: Map<string, DriverRow> | undefined

  constructor(private readonly database: Database) {}

  /** Forgets what is kept in memory: another process has written. */
  refresh(): void {
    this.knownInstallations = undefined
    this.knownDrivers = undefined
  }

  /** By code, in their own order. */
  installations(): ReadonlyMap<string, InstallationRow> {
    this.knownInstallations ??= new Map(
      this.records<InstallationRow>('SELECT record FROM installations ORDER BY position').map((row) => [row.code, row]),
    )
    return this.knownInstallations
  }

  /** Without reading the installations themselves, which takes as long as most commands. */
  installationCodes(): ReadonlySet<string> {
    return new Set(this.database.all('SELECT code FROM installations').map(({ code }) => String(code)))
  }

  /** By id, in their own order. */
  drivers(): ReadonlyMap<string, DriverRow> {
    this.knownDrivers ??= new Map(
      this.records<DriverRow>('SELECT record FROM drivers ORDER BY position').map((row) => [row.id, row]),
    )
    return this.knownDrivers
  }

  private records<Row>(sql: string): Row[] {
    return this.database.all(sql).map((columns) => this.database.json<Row>(columns.record))
  }

  saveInstallation(installation: InstallationRow): void {
    const sql = `INSERT INTO installations (code, record) VALUES (?, ?)
      ON CONFLICT (code) DO UPDATE SET record = excluded.record`
    this.database.run(sql, installation.code, JSON.stringify(installation))
    this.knownInstallations = undefined
  }

  saveDriver(driver: DriverRow): void {
    const sql = `INSERT INTO drivers (driver_id, record) VALUES (?, ?)
      ON CONFLICT (driver_id) DO UPDATE SET record = excluded.record`
    this.database.run(sql, driver.id, JSON.stringify(driver))
    this.knownDrivers = undefined
  }

  removeDriver(driverId: string): void {
    this.database.run('DELETE FROM drivers WHERE driver_id = ?', driverId)
    this.knownDrivers = undefined
  }
}

/** Work that waits for its group's transaction. */
interface Waiting {
  work: () => unknown
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

/** The database methods that a group needs. */
interface Transactions {
  /** All of `work` or nothing of it. */
  write<T>(work: () => T): T
  /** Whether a transaction is under way: some errors, such as a full disk, end it. */
  readonly isWriting: boolean
  /** Number of statements so far that have changed something. */
  readonly mutations: number
}

/** Ends a group's transaction: a piece of work failed and left something to undo. */
class HalfDone extends Error {}

/**
 * Work that arrives in one turn of the event loop shares one commit, which costs more than the work does. Each piece is
 * undone by itself if it fails, and settles after the commit.
 */
class WriteGroup {
  private waiting: Waiting[] = []

  constructor(private readonly transactions: Transactions) {}

  /** `work` is done again if work beside it has to be undone. */
  add<T>(work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.waiting.push({ work, resolve: resolve as (value: unknown) => void, reject })
      if (this.waiting.length === 1) setImmediate(() => this.commit())
    })
  }

  private commit(): void {
    const group = this.waiting
    this.waiting = []
    for (const settle of this.settlementsOf(group)) settle()
  }

  private settlementsOf(group: readonly Waiting[]): (() => void)[] {
    try {
      return this.transactions.write(() => group.map((one) => this.joined(one)))
    } catch (error) {
      // Refusals come before the first write, so that hardly any group is done again.
      if (error instanceof HalfDone) return group.map((one) => this.alone(one))
      return group.map(
        ({ reject }) =>
          () =>
            reject(error),
      )
    }
  }

  private joined({ work, resolve, reject }: Waiting): () => void {
    const { mutations } = this.transactions
    try {
      const result = work()
      return () => resolve(result)
    } catch (error) {
      const hasLeftNothing = this.transactions.isWriting && this.transactions.mutations === mutations
      if (hasLeftNothing) return () => reject(error)
      throw new HalfDone(undefined, { cause: error })
    }
  }

  private alone({ work, resolve, reject }: Waiting): () => void {
    try {
      const result = this.transactions.write(work)
      return () => resolve(result)
    } catch (error) {
      return () => reject(error)
    }
  }
}
