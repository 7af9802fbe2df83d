import { existsSync, rmSync } from 'node:fs'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { OrderTexts } from '../sent/index.js'
import type { SqliteLock } from '../shared/sqlite.js'
import { type ArchivePaths, againFile } from './database.js'
import { type IncomingEvent, isoOf } from './event-rows.js'
import { ArchiveFiles, type Coverage, type Period, periodsOf } from './files.js'
import { type EventSource, Ingest, type WrittenPage } from './ingest.js'
import { type LockOptions, lockArchive } from './lock.js'
import { People } from './people.js'
import { clearArchive, dropOlder } from './retention.js'
import type { TableName } from './tables.js'

/** What fills an archive by a period of its own. */
type Source = 'events' | 'backfill' | 'orders' | 'journal'

/** Options of opening an archive for writing. */
export interface WriterOptions extends LockOptions {
  /** `false` removes the second file and never writes it again, `true` allows it again; default: as before. */
  personal?: boolean | undefined
}

/**
 * Opens an archive for writing, once no other process does, and creates it if necessary.
 *
 * @throws UsageError if a file cannot be opened or written, is damaged or was written by a newer version; or if another
 *   process still writes it after `waitMs`
 */
export async function openArchive(paths: ArchivePaths, options: WriterOptions): Promise<ArchiveWriter> {
  const lock = await lockArchive(paths, options)
  try {
    return new ArchiveWriter(paths, lock, options)
  } catch (error) {
    lock.release()
    throw error
  }
}

/** The archive of an account, open for writing. One process has it; what it writes is in transactions over both files. */
export class ArchiveWriter {
  readonly #lock: SqliteLock
  readonly #files: ArchiveFiles
  readonly #people: People
  readonly #ingest: Ingest
  readonly #nowMs: () => number

  constructor(paths: ArchivePaths, lock: SqliteLock, { personal, nowMs }: WriterOptions) {
    this.#lock = lock
    this.#nowMs = nowMs
    this.#files = new ArchiveFiles(paths, personal, () => this.#ingest.clear())
    try {
      this.#people = new People(this.#files, nowMs)
      this.#ingest = new Ingest(this.#files, this.#people, nowMs)
      if (this.#files.lacksPeople) this.#rewind()
      else this.#people.purge()
    } catch (error) {
      this.#files.close()
      throw error
    }
  }

  /** Has this fill read again what the service lists, if `readAgain` asked for it. */
  rewindIfAsked(oldestMs: number): void {
    const file = againFile(this.#files.paths)
    if (!existsSync(file)) return
    this.#rewind(oldestMs)
    rmSync(file)
  }

  #rewind(oldestMs = 0): void {
    const known = this.coverage('events')
    if (known === undefined) return
    const toMs = Math.min(known.toMs, Math.max(known.fromMs, oldestMs))
    this.cover('events', { ...known, toMs, position: {} })
  }

  /** Number of deliveries that were not known when this archive was opened. */
  get newDeliveries(): number {
    return this.#ingest.newDeliveries
  }

  /** Whether people and bodies are written. */
  get isPersonal(): boolean {
    return this.#files.people !== undefined
  }

  /** The connection to the first file, to read from between writes. */
  get database(): DatabaseSync {
    return this.#files.database
  }

  get people(): DatabaseSync | undefined {
    return this.#files.people
  }

  /** The time before which people are forgotten, RFC 3339; empty if there is none. */
  get forgottenBefore(): string {
    return this.#people.forgottenBefore
  }

  /** This machine's time, in milliseconds since the epoch. */
  nowMs(): number {
    return this.#nowMs()
  }

  /** The number of rows of a table. */
  count(table: TableName): number {
    return Number(this.#files.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.count)
  }

  /** Whether its newest event of the service is of production, which nothing empties. */
  get isOfProduction(): boolean {
    const row = this.#files
      .prepare(
        `SELECT livemode FROM events WHERE delivery_attempts IS NOT NULL OR last_delivery_status IS NOT NULL
         ORDER BY occurred_at DESC LIMIT 1`,
      )
      .get()
    return row?.livemode === 1
  }

  /** What names the state of the sandbox that it is filled from. */
  get sandboxInstance(): string | undefined {
    return this.#files.setting('sandbox_instance')
  }

  set sandboxInstance(instance: string | undefined) {
    this.#files.transaction(() => this.#files.set('sandbox_instance', instance ?? null))
  }

  coverage(source: Source): Coverage | undefined {
    return this.#files.coverage(source)
  }

  /** The periods whose deliveries it has, oldest first: between two of them is a gap. */
  get periods(): readonly Period[] {
    return periodsOf(this.#files.database)
  }

  /** Milliseconds by which the service's clock was ahead of this machine's at the last fill. */
  clockAheadMs(): number {
    return Number(
      this.#files.prepare("SELECT clock_ahead_ms FROM syncs WHERE source = 'events'").get()?.clock_ahead_ms ?? 0,
    )
  }

  /** The ids of the deliveries that a person names by their id or reference. */
  idsOf(name: string): string[] {
    const find = 'SELECT delivery_id FROM deliveries WHERE delivery_id = ? OR client_order_reference = ?'
    return this.#files
      .prepare(find)
      .all(name, name)
      .map((row) => String(row.delivery_id))
  }

  /**
   * Keeps the period that a source covers as an older one, which a gap follows: the source begins again. Rows of its own
   * keep the older periods, named by their ends.
   */
  keepOlder(source: 'events' | 'backfill'): void {
    const known = this.coverage(source)
    if (known === undefined || known.toMs <= known.fromMs) return
    this.#files.transaction(() => this.#files.cover(`${source} until ${isoOf(known.toMs)}`, { ...known, position: {} }))
  }

  /** Sets the period that a source covers. */
  cover(source: Source, coverage: Coverage, clockAheadMs?: number): void {
    this.#files.transaction(() => this.#files.cover(source, coverage, clockAheadMs))
  }

  /** A new listing begins: which events of one moment come first is told by its order. */
  beginListing(): void {
    this.#ingest.beginListing()
  }

  /**
   * Writes events, and how far a source is covered with them, in one transaction.
   *
   * @throws UsageError if a file cannot be written
   */
  write(
    events: readonly IncomingEvent[],
    source: EventSource,
    coverage?: Coverage,
    clockAheadMs?: number,
  ): WrittenPage {
    return this.#ingest.write(events, source, coverage, clockAheadMs)
  }

  /**
   * Writes deliveries as `GET /deliveries/{deliveryId}` gives them, with the period that a backfill covers by them. Returns
   * how many could be read.
   *
   * @throws UsageError if a file cannot be written
   */
  writeDeliveries(deliveries: readonly unknown[], coverage?: Coverage): number {
    return this.#ingest.writeDeliveries(deliveries, coverage)
  }

  /** Reads deliveries again that were created with these orders. */
  refresh(references: readonly string[]): void {
    this.#ingest.refresh(references)
  }

  /** The words of an order that are kept. */
  textsOf(reference: string): OrderTexts {
    return this.#people.textsOf(reference)
  }

  /** Keeps the words of orders, but for those of deliveries that are forgotten. */
  writeTexts(texts: ReadonlyMap<string, { atMs: number; texts: OrderTexts }>): void {
    this.#files.transaction(() => {
      for (const [reference, one] of texts) this.#people.putTexts(reference, one.atMs, one.texts)
    })
  }

  /**
   * Removes the personal data of deliveries from the bytes of the second file, now and in later fills; their figures stay.
   *
   * @returns how many deliveries had some
   * @throws UsageError if the file cannot be written, or another process keeps reading what is to be removed
   */
  forget(which: { deliveryIds: readonly string[] } | { beforeMs: number }): number {
    this.#ingest.clear()
    return this.#people.forget(which)
  }

  /**
   * Removes deliveries that were created before a time and have ended, with all that belongs to them, and events that are
   * older. Returns the number of deliveries.
   */
  drop(beforeMs: number): number {
    this.#ingest.clear()
    return dropOlder(this.#files, this.#people, beforeMs)
  }

  /** Empties the archive, because the sandbox that it is of was reset. What dlv sent stays. */
  clear(): void {
    this.#ingest.clear()
    clearArchive(this.#files)
  }

  /** Runs writes on the first file. */
  exec<Result>(work: (prepare: (sql: string) => StatementSync) => Result): Result {
    return this.#files.transaction(() => work((sql) => this.#files.prepare(sql)))
  }

  close(): void {
    try {
      this.#files.close()
    } finally {
      this.#lock.release()
    }
  }
}
