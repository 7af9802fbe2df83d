import { existsSync, rmSync } from 'node:fs'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { UsageError } from '../contract/index.js'
import { isRecord, tryParseJson } from '../shared/json.js'
import type { SqliteLock } from '../shared/sqlite-lock.js'
import { deflated, dictionary } from './bodies.js'
import { type ArchivePaths, againFile, naming, openForWriting, removeDatabase } from './database.js'
import { DeliveryDraft, type DeliveryRow, type SentOrder } from './delivery-draft.js'
import { EventCounts } from './event-counts.js'
import {
  deliveryRowsOf,
  type EventRows,
  eventRows,
  type IncomingEvent,
  iso,
  isoOf,
  type Person,
  searchText,
  type Value,
} from './event-rows.js'
import { type LockOptions, lockArchive } from './lock.js'
import { mergedPeriods, type Period } from './periods.js'
import { deliveryColumns, eventColumns, indexedColumns, sql, updateDelivery, updatedColumns } from './statements.js'
import { type TableName, tables } from './tables.js'

/** Options of opening an archive for writing. */
export interface WriterOptions extends LockOptions {
  /** `false` removes the second file and never writes it again, `true` allows it again; default: as before. */
  personal?: boolean | undefined
}

/** The period that a source covers without a gap, and where an unfinished fill continues. */
export interface Coverage {
  fromMs: number
  toMs: number
  position: Readonly<Record<string, unknown>>
}

/** The result of writing a page. */
export interface WrittenPage {
  /** Number of events that were not known. */
  added: number
  /** Events that cannot be read, and were not known to be so: each with the reason, as the end of a sentence. */
  unread: { eventId: string; problem: string }[]
}

/** Where events come from: the service's list, in its order, or a journal, in the order of arrival. */
export type EventSource = 'list' | 'journal'

/** Columns of an event that a later listing, or a listener, may tell. */
const toldColumns = ['delivery_attempts', 'last_delivery_status', 'last_attempt_at', 'received_at'] as const

/** Deliveries that stay in memory: the next page is mostly about the same ones. */
const cachedDeliveries = 200

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

/** An event by which a sandbox that was reset is known. */
export interface NewestTestEvent {
  eventId: string
  /** When it happened, in milliseconds since the epoch. */
  atMs: number
  deliveryId: string
  /** When its delivery was created, RFC 3339. */
  createdAt: string | undefined
}

/** The archive of an account, open for writing. One process has it; what it writes is in transactions over both files. */
export class ArchiveWriter {
  readonly #database: DatabaseSync
  #people: DatabaseSync | undefined
  readonly #lock: SqliteLock
  readonly #nowMs: () => number
  readonly #paths: ArchivePaths
  readonly #statements = new Map<string, StatementSync>()
  readonly #drafts = new Map<string, DeliveryDraft>()
  readonly #drivers = new Map<string, Driver>()
  readonly #changedDrivers = new Set<string>()
  readonly #counts = new EventCounts((text) => this.#prepare(text))
  /** One moment of this listing: its events so far, and the deliveries that had an ETA in them. */
  readonly #passed = { at: '', ids: new Set<Value>(), etas: new Set<string>() }
  #forgotten = new Set<string>()
  #forgottenBefore = ''
  #namedUnread = new Set<string>()
  #newDeliveries = 0

  constructor(paths: ArchivePaths, lock: SqliteLock, { personal, nowMs }: WriterOptions) {
    this.#paths = paths
    this.#lock = lock
    this.#nowMs = nowMs
    this.#database = openForWriting('archive', paths.archive)
    try {
      // Other programs need it to read the JSON of events.
      if (this.#setting('body_dictionary') === undefined) this.#set('body_dictionary', dictionary.toString())
      if (personal !== undefined) this.#set('personal', personal ? null : 'no')
      this.#readForgotten()
      if (this.#setting('personal') === 'no') removeDatabase(paths.people)
      else this.#openPeople()
    } catch (error) {
      this.#database.close()
      throw error
    }
  }

  /** Opens the second file; one that is missing is filled again with what the service still lists. */
  #openPeople(): void {
    const isNew = !existsSync(this.#paths.people)
    this.#people = openForWriting('people', this.#paths.people)
    if (isNew) this.#rewind()
    else this.#purge()
  }

  /** Has this fill read again what the service lists, if `readAgain` asked for it. */
  rewindIfAsked(oldestMs: number): void {
    const file = againFile(this.#paths)
    if (!existsSync(file)) return
    this.#rewind(oldestMs)
    rmSync(file)
  }

  #rewind(oldestMs = 0): void {
    const known = this.coverage('events')
    if (known === undefined) return
    const toMs = Math.min(known.toMs, Math.max(known.fromMs, oldestMs))
    this.#cover('events', { ...known, toMs, position: {} })
  }

  /** Number of deliveries that were not known when this archive was opened. */
  get newDeliveries(): number {
    return this.#newDeliveries
  }

  /** Whether people and bodies are written. */
  get isPersonal(): boolean {
    return this.#people !== undefined
  }

  /** The connection to the first file, to read from between writes. */
  get database(): DatabaseSync {
    return this.#database
  }

  get people(): DatabaseSync | undefined {
    return this.#people
  }

  /** The time before which people are forgotten, RFC 3339; empty if there is none. */
  get forgottenBefore(): string {
    return this.#forgottenBefore
  }

  /** This machine's time, in milliseconds since the epoch. */
  nowMs(): number {
    return this.#nowMs()
  }

  /** The number of rows of a table. */
  count(table: TableName): number {
    return Number(this.#prepare(`SELECT count(*) AS count FROM ${table}`).get()?.count)
  }

  /** The newest event of a delivery that is known not to be real; what a journal holds of others does not count. */
  newestTestEvent(): NewestTestEvent | undefined {
    const row = this.#prepare(
      `SELECT event_id, occurred_at, events.livemode, delivery_id, d.created_at FROM events LEFT JOIN deliveries d USING (delivery_id)
       WHERE (delivery_attempts IS NOT NULL OR last_delivery_status IS NOT NULL) AND delivery_id IS NOT NULL
       ORDER BY occurred_at DESC LIMIT 1`,
    ).get()
    if (row?.livemode !== 0) return undefined
    return {
      eventId: String(row.event_id),
      atMs: Date.parse(String(row.occurred_at)),
      deliveryId: String(row.delivery_id),
      createdAt: row.created_at === null ? undefined : String(row.created_at),
    }
  }

  coverage(source: 'events' | 'backfill' | 'orders' | 'journal'): Coverage | undefined {
    return coverageOf(this.#prepare('SELECT * FROM syncs WHERE source = ?').get(source))
  }

  /** The periods whose deliveries it has, oldest first: between two of them is a gap. */
  get periods(): readonly Period[] {
    return periodsOf(this.#database)
  }

  /** Milliseconds by which the service's clock was ahead of this machine's at the last fill. */
  clockAheadMs(): number {
    return Number(this.#prepare("SELECT clock_ahead_ms FROM syncs WHERE source = 'events'").get()?.clock_ahead_ms ?? 0)
  }

  /** The ids of the deliveries that a person names by their id or reference. */
  idsOf(name: string): string[] {
    const find = 'SELECT delivery_id FROM deliveries WHERE delivery_id = ? OR client_order_reference = ?'
    return this.#prepare(find)
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
    this.#transaction(() => this.#cover(`${source} until ${isoOf(known.toMs)}`, { ...known, position: {} }))
  }

  /** Sets the period that a source covers. */
  cover(source: 'events' | 'backfill' | 'orders' | 'journal', coverage: Coverage, clockAheadMs?: number): void {
    this.#transaction(() => this.#cover(source, coverage, clockAheadMs))
  }

  #cover(source: string, { fromMs, toMs, position }: Coverage, clockAheadMs?: number): void {
    const ahead = clockAheadMs === undefined ? null : Math.round(clockAheadMs)
    this.#prepare(
      `INSERT INTO syncs VALUES (?, ?, ?, ?, ?) ON CONFLICT (source) DO UPDATE SET from_at = excluded.from_at,
         to_at = excluded.to_at, position = excluded.position,
         clock_ahead_ms = coalesce(excluded.clock_ahead_ms, clock_ahead_ms)`,
    ).run(source, isoOf(fromMs), isoOf(toMs), JSON.stringify(position), ahead)
  }

  /** A new listing begins: which events of one moment come first is told by its order. */
  beginListing(): void {
    this.#passMoment('')
  }

  #passMoment(at: string): void {
    this.#passed.at = at
    this.#passed.ids.clear()
    this.#passed.etas.clear()
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
    return this.#transaction(() => {
      const page: WrittenPage = { added: 0, unread: [] }
      const seenAt = isoOf(this.#nowMs())
      for (const event of events) {
        const rows = eventRows(event)
        if (typeof rows === 'string') this.#keepUnread(event, rows, seenAt, page)
        else if (this.#add(event, rows, seenAt, source)) page.added++
      }
      this.#flush()
      if (coverage !== undefined) this.#cover('events', coverage, clockAheadMs)
      return page
    })
  }

  /**
   * Writes deliveries as `GET /deliveries/{deliveryId}` gives them, with the period that a backfill covers by them. Returns how many could be read.
   *
   * @throws UsageError if a file cannot be written
   */
  writeDeliveries(deliveries: readonly unknown[], coverage?: Coverage): number {
    return this.#transaction(() => {
      let count = 0
      for (const delivery of deliveries) {
        const rows = isRecord(delivery) ? deliveryRowsOf(delivery) : undefined
        if (rows?.snapshot === undefined) continue
        const { snapshot } = rows
        const draft = this.#draft(snapshot.deliveryId)
        this.#addDelivery(rows, draft, null, snapshot.at > draft.seenAt, isoOf(this.#nowMs()))
        count++
      }
      this.#flush()
      if (coverage !== undefined) this.#cover('backfill', coverage)
      return count
    })
  }

  /** Whether the event is new. */
  #add(event: IncomingEvent, rows: EventRows, seenAt: string, source: EventSource): boolean {
    const { event: row, snapshot, driver, change } = rows
    const { event_id: id, occurred_at: at } = row
    if (this.#passed.at !== at) this.#passMoment(at)
    const values = eventColumns.map((column) => (column === 'first_seen_at' ? seenAt : (row[column] ?? null)))
    const isNew = this.#prepare(sql.insert.events).run(...values).changes === 1
    if (isNew) this.#counts.add(row, 1)
    else this.#updateEvent(row)
    if (snapshot !== undefined) {
      const draft = this.#draft(snapshot.deliveryId)
      // Of events of one moment, the last of the service's list wins.
      const isAfter =
        at === draft.seenAt && (this.#passed.ids.has(draft.seenEventId) || (source === 'journal' && isNew))
      const isFirstEta = source === 'list' && !this.#passed.etas.has(snapshot.deliveryId)
      if (snapshot.values.newest_eta != null) this.#passed.etas.add(snapshot.deliveryId)
      this.#addDelivery(rows, draft, id, at > draft.seenAt || isAfter, at, isFirstEta)
    } else if (driver !== undefined) this.#addDriver(driver, at)
    if (change !== undefined)
      this.#prepare(sql.insert.installation_changes).run(
        id,
        change.installation_code,
        row.event_type ?? null,
        at,
        change.effective_at,
        change.summary,
      )
    this.#passed.ids.add(id)
    this.#keepBody(event, row, isNew)
    return isNew
  }

  #updateEvent(row: EventRows['event']): void {
    const known = this.#prepare(
      `SELECT occurred_at, delivery_attempts, last_delivery_status, last_attempt_at, received_at FROM events WHERE event_id = ?`,
    ).get(row.event_id) as Record<(typeof toldColumns)[number] | 'occurred_at', Value>
    const told = toldColumns.map((column) =>
      column === 'received_at' ? (known[column] ?? row[column] ?? null) : (row[column] ?? known[column]),
    )
    if (toldColumns.every((column, index) => known[column] === told[index])) return
    this.#prepare(
      `UPDATE events SET ${toldColumns.map((column) => `${column} = ?`).join(', ')} WHERE event_id = ?`,
    ).run(...told, row.event_id)
    this.#counts.add(known, -1)
    this.#counts.add(
      { ...known, ...Object.fromEntries(toldColumns.map((column, index) => [column, told[index] ?? null])) },
      1,
    )
  }

  #addDelivery(
    { snapshot, location, proofs = [], person, driver }: Omit<EventRows, 'event'>,
    draft: DeliveryDraft,
    eventId: string | null,
    isNewest: boolean,
    at: string,
    isFirstEta = false,
  ): void {
    if (snapshot === undefined) return
    const { deliveryId } = snapshot
    const isSeen = isNewest || (eventId !== null && eventId === draft.seenEventId)
    for (const [status, since, reason] of draft.add(snapshot, isNewest, eventId, isFirstEta))
      this.#prepare(
        `INSERT INTO status_history VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET
           status_reason_code = excluded.status_reason_code
         WHERE status_reason_code IS NULL AND excluded.status_reason_code IS NOT NULL`,
      ).run(deliveryId, since, status, reason)
    if (location !== undefined)
      this.#prepare(sql.insert.locations).run(
        deliveryId,
        location.measured_at,
        location.driver_id,
        location.latitude,
        location.longitude,
      )
    if (proofs.length > 0) this.#putProofs(deliveryId, proofs, isNewest)
    if (driver !== undefined) this.#addDriver(driver, at)
    if (person !== undefined) this.#putPerson(deliveryId, person, draft, isSeen)
  }

  #putProofs(deliveryId: string, proofs: NonNullable<EventRows['proofs']>, isNewest: boolean): void {
    const put = this.#prepare(isNewest ? sql.upsert.proofs : sql.insert.proofs)
    for (const [index, { type, stage, captured_at }] of proofs.entries())
      put.run(deliveryId, index + 1, type, stage, captured_at)
  }

  #putPerson(deliveryId: string, person: Person, draft: DeliveryDraft, isSeen: boolean): void {
    if (this.#people === undefined || (!isSeen && draft.person !== undefined)) return
    const { contact_name, contact_phone, address, instructions } = person
    const text = `${contact_name}\n${contact_phone}\n${address}\n${instructions}`
    if (text === draft.person || this.#isForgotten(deliveryId, draft.createdAt)) return
    draft.person = text
    if (contact_name === null && contact_phone === null && address === null && instructions === null) return
    const values = [deliveryId, contact_name, contact_phone, address, instructions, searchText(person)]
    this.#inPeople(isSeen ? sql.upsert.people : sql.insert.people)?.run(...values)
  }

  #addDriver({ driverId, vehicle, name, phone }: NonNullable<EventRows['driver']>, at: string): void {
    const known = this.#drivers.get(driverId) ?? this.#driver(driverId)
    const driver = known ?? { firstSeenAt: at, lastSeenAt: '', vehicle: null, name: null, phone: null }
    this.#drivers.set(driverId, driver)
    if (at < driver.firstSeenAt) driver.firstSeenAt = at
    const isNewer = at >= driver.lastSeenAt
    if (isNewer) driver.lastSeenAt = at
    driver.vehicle = isNewer ? (vehicle ?? driver.vehicle) : (driver.vehicle ?? vehicle)
    driver.name = isNewer ? (name ?? driver.name) : (driver.name ?? name)
    driver.phone = isNewer ? (phone ?? driver.phone) : (driver.phone ?? phone)
    this.#changedDrivers.add(driverId)
  }

  #driver(driverId: string): Driver | undefined {
    const row = this.#prepare('SELECT * FROM drivers WHERE driver_id = ?').get(driverId)
    if (row === undefined) return undefined
    const person = this.#inPeople('SELECT * FROM driver_people WHERE driver_id = ?')?.get(driverId)
    return {
      firstSeenAt: String(row.first_seen_at),
      lastSeenAt: String(row.last_seen_at),
      vehicle: columnValue(row.vehicle_description),
      name: columnValue(person?.name),
      phone: columnValue(person?.phone_number),
    }
  }

  #keepBody({ body }: IncomingEvent, row: EventRows['event'], isNew: boolean): void {
    const { event_id: id, delivery_id: deliveryId, occurred_at: at } = row
    if (this.#people === undefined || body === undefined) return
    const createdAt = deliveryId === null ? at : this.#draft(deliveryId).createdAt
    if (this.#isForgotten(deliveryId, createdAt)) return
    if (isNew) this.#inPeople(sql.insert.bodies)?.run('event', id, deliveryId, at, deflated(body))
    else this.#putBody('event', id, deliveryId, at, body)
  }

  #putBody(kind: string, id: string, deliveryId: string | null, at: string, body: Uint8Array): boolean {
    if (this.#inPeople('SELECT 1 FROM bodies WHERE kind = ? AND id = ?')?.get(kind, id) !== undefined) return false
    this.#inPeople(sql.insert.bodies)?.run(kind, id, deliveryId, at, deflated(body))
    return true
  }

  /** An event that cannot be read is kept as it is, and named once. */
  #keepUnread(event: IncomingEvent, problem: string, seenAt: string, page: WrittenPage): void {
    const { eventId, deliveryId, body, record } = event
    if (this.#namedUnread.has(eventId)) return
    this.#namedUnread.add(eventId)
    const occurredMs = Date.parse(event.occurredAt ?? '')
    const at = iso(occurredMs) ?? seenAt
    const isForgotten = this.#isForgotten(deliveryId, at)
    const bytes = record ?? body ?? new Uint8Array()
    if (this.#people !== undefined && !isForgotten && !this.#putBody('unread', eventId, deliveryId, at, bytes)) return
    page.unread.push({ eventId, problem })
  }

  #draft(deliveryId: string): DeliveryDraft {
    const cached = this.#drafts.get(deliveryId)
    if (cached !== undefined) return cached
    const row = this.#prepare('SELECT * FROM deliveries WHERE delivery_id = ?').get(deliveryId)
    const draft = new DeliveryDraft(deliveryId, row as DeliveryRow | undefined)
    this.#drafts.set(deliveryId, draft)
    return draft
  }

  /** Writes the deliveries and drivers that have changed. */
  #flush(): void {
    for (const [deliveryId, draft] of this.#drafts) if (draft.isChanged) this.#putDelivery(deliveryId, draft)
    for (const driverId of this.#changedDrivers) this.#putDriver(driverId)
    this.#changedDrivers.clear()
    this.#counts.flush()
    for (const deliveryId of this.#drafts.keys()) {
      if (this.#drafts.size <= cachedDeliveries) break
      this.#drafts.delete(deliveryId)
    }
  }

  #putDelivery(deliveryId: string, draft: DeliveryDraft): void {
    const row = draft.row(this.#orderOf(draft.reference))
    const values = (columns: readonly string[]) => columns.map((column) => row[column] ?? null)
    const isUpdated =
      !draft.isNew &&
      this.#prepare(updateDelivery).run(...values(updatedColumns), deliveryId, ...values(indexedColumns)).changes === 1
    if (!isUpdated) this.#prepare(sql.upsert.deliveries).run(...values(deliveryColumns))
    if (draft.isNew) this.#newDeliveries++
    draft.isChanged = false
    draft.isNew = false
  }

  #orderOf(reference: Value): SentOrder | undefined {
    if (reference === null) return undefined
    const row = this.#prepare(
      `SELECT quoted_eta, window_start, window_end, installation_code FROM orders WHERE client_order_reference = ?`,
    ).get(reference)
    return row as SentOrder | undefined
  }

  #putDriver(driverId: string): void {
    const driver = this.#drivers.get(driverId)
    if (driver === undefined) return
    const { vehicle, firstSeenAt, lastSeenAt, name, phone } = driver
    this.#prepare(sql.upsert.drivers).run(driverId, vehicle, firstSeenAt, lastSeenAt)
    if (name === null && phone === null) return
    const text = `${name}\n${phone}`
    if (driver.written === text || lastSeenAt < this.#forgottenBefore) return
    driver.written = text
    this.#inPeople(sql.upsert.driver_people)?.run(driverId, name, phone)
  }

  #isForgotten(deliveryId: string | null, createdAt: string): boolean {
    return createdAt < this.#forgottenBefore || (deliveryId !== null && this.#forgotten.has(deliveryId))
  }

  #readForgotten(): void {
    const rows = this.#prepare('SELECT delivery_id FROM forgotten').all()
    this.#forgotten = new Set(rows.map((row) => String(row.delivery_id)))
    this.#forgottenBefore = this.#setting('forgotten_before') ?? ''
  }

  #setting(name: string): string | undefined {
    const row = this.#prepare('SELECT value FROM settings WHERE name = ?').get(name)
    return row === undefined ? undefined : String(row.value)
  }

  #set(name: string, value: string | null): void {
    if (value === null) this.#prepare('DELETE FROM settings WHERE name = ?').run(name)
    else this.#prepare(sql.upsert.settings).run(name, value)
  }

  /**
   * Removes the personal data of deliveries from the bytes of the second file, now and in later fills; their figures stay.
   *
   * @returns how many deliveries had some
   * @throws UsageError if the file cannot be written, or another process keeps reading what is to be removed
   */
  forget(which: { deliveryIds: readonly string[] } | { beforeMs: number }): number {
    // The wish is on disk first: if this process is killed, the next one that writes completes it.
    this.#transaction(() => {
      if ('beforeMs' in which) {
        const before = isoOf(which.beforeMs)
        if (before > this.#forgottenBefore) this.#set('forgotten_before', before)
      } else
        for (const deliveryId of which.deliveryIds)
          this.#prepare(sql.insert.forgotten).run(deliveryId, isoOf(this.#nowMs()))
    })
    this.#readForgotten()
    this.#clearCaches()
    return this.#purge()
  }

  /** Removes what is forgotten. */
  #purge(): number {
    const people = this.#people
    if (people === undefined) return 0
    const before = this.#forgottenBefore
    const older =
      before === ''
        ? []
        : this.#prepare('SELECT delivery_id FROM deliveries WHERE coalesce(created_at, seen_at) < ?').all(before)
    const ids = [...this.#forgotten, ...older.map((row) => String(row.delivery_id))]
    const drivers =
      before === '' ? [] : this.#prepare('SELECT driver_id FROM drivers WHERE last_seen_at < ?').all(before)
    let count = 0
    let changes = 0
    naming(this.#paths.people, 'write', () => {
      people.exec('BEGIN IMMEDIATE')
      const remove = (sql: string, ...values: Value[]) => {
        const removed = Number(this.#inPeople(sql)?.run(...values).changes)
        changes += removed
        return removed
      }
      for (const id of ids) {
        const person = remove('DELETE FROM people WHERE delivery_id = ?', id)
        const bodies = remove('DELETE FROM bodies WHERE delivery_id = ?', id)
        if (person + bodies > 0) count++
      }
      remove('DELETE FROM bodies WHERE at < ? AND delivery_id IS NULL', before)
      for (const { driver_id } of drivers) remove('DELETE FROM driver_people WHERE driver_id = ?', String(driver_id))
      people.exec('COMMIT')
      if (changes > 0) this.#rewritePeople(people)
    })
    return count
  }

  /** Rewrites the file and empties its log, whose bytes may still hold what was removed. */
  #rewritePeople(people: DatabaseSync): void {
    people.exec('VACUUM')
    const { busy } = people.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() ?? {}
    if (busy !== 0)
      throw new UsageError(`Removed from ${this.#paths.people}, but not from its log: another process is reading it.`, {
        hint: 'Stop what reads the archive, such as dlv ui, and run the same command again.',
      })
  }

  /**
   * Removes deliveries that were created before a time and have ended, with all that belongs to them, and events that are
   * older. Returns the number of deliveries.
   */
  drop(beforeMs: number): number {
    const before = isoOf(beforeMs)
    this.#clearCaches()
    const old = `SELECT delivery_id FROM deliveries WHERE coalesce(created_at, seen_at) < ? AND ended_at IS NOT NULL`
    const ids = this.#prepare(old)
      .all(before)
      .map((row) => String(row.delivery_id))
    const drivers = this.#prepare('SELECT driver_id FROM drivers WHERE last_seen_at < ?').all(before)
    this.#transaction(() => {
      for (const id of ids) {
        for (const table of ['events', 'status_history', 'locations', 'proofs', 'deliveries'] as const)
          this.#prepare(`DELETE FROM ${table} WHERE delivery_id = ?`).run(id)
        this.#inPeople('DELETE FROM people WHERE delivery_id = ?')?.run(id)
        this.#inPeople('DELETE FROM bodies WHERE delivery_id = ?')?.run(id)
      }
      this.#prepare('DELETE FROM events WHERE occurred_at < ? AND delivery_id IS NULL').run(before)
      this.#counts.recount()
      this.#prepare('DELETE FROM installation_changes WHERE occurred_at < ?').run(before)
      this.#prepare('DELETE FROM orders WHERE sent_at < ?').run(before)
      this.#prepare('DELETE FROM drivers WHERE last_seen_at < ?').run(before)
      for (const { driver_id } of drivers)
        this.#inPeople('DELETE FROM driver_people WHERE driver_id = ?')?.run(String(driver_id))
      this.#inPeople('DELETE FROM bodies WHERE at < ? AND delivery_id IS NULL')?.run(before)
      this.#dropCoverage(beforeMs)
    })
    const people = this.#people
    if (people !== undefined && ids.length + drivers.length > 0)
      naming(this.#paths.people, 'write', () => this.#rewritePeople(people))
    return ids.length
  }

  /** What was dropped is not covered any more. */
  #dropCoverage(beforeMs: number): void {
    const rows = this.#prepare("SELECT * FROM syncs WHERE source GLOB 'events*' OR source GLOB 'backfill*'").all()
    for (const row of rows) {
      const [source, covered] = [String(row.source), coverageOf(row)]
      if (covered === undefined || covered.fromMs >= beforeMs) continue
      if (covered.toMs > beforeMs || source === 'events')
        this.#cover(source, { ...covered, fromMs: Math.min(beforeMs, covered.toMs) })
      else this.#prepare('DELETE FROM syncs WHERE source = ?').run(source)
    }
  }

  /** Empties the archive, because the sandbox that it is of was reset. What dlv sent stays. */
  clear(): void {
    this.#clearCaches()
    this.#transaction(() => {
      for (const [name, { file }] of Object.entries(tables))
        if (file === 'people') this.#inPeople(`DELETE FROM ${name}`)?.run()
        else if (!['orders', 'settings', 'forgotten'].includes(name)) this.#prepare(`DELETE FROM ${name}`).run()
    })
  }

  /** Runs writes on the first file. */
  exec<Result>(work: (prepare: (sql: string) => StatementSync) => Result): Result {
    return this.#transaction(() => work((sql) => this.#prepare(sql)))
  }

  /** Reads deliveries again that were created with these orders. */
  refresh(references: readonly string[]): void {
    this.#transaction(() => {
      for (const reference of references) {
        const find = this.#prepare('SELECT delivery_id FROM deliveries WHERE client_order_reference = ?')
        for (const row of find.all(reference)) this.#draft(String(row.delivery_id)).isChanged = true
      }
      this.#flush()
    })
  }

  close(): void {
    try {
      this.#people?.close()
      this.#database.close()
    } finally {
      this.#lock.release()
    }
  }

  /**
   * People are committed first: killed in between, the next fill reads the same page again and adds the rest. SQLite
   * commits several files of one connection one by one as well.
   */
  #transaction<Result>(work: () => Result): Result {
    const databases = this.#people === undefined ? [this.#database] : [this.#people, this.#database]
    return naming(this.#people === undefined ? this.#paths.archive : this.#paths, 'write', () => {
      try {
        for (const database of databases) database.exec('BEGIN IMMEDIATE')
        const result = work()
        for (const database of databases) database.exec('COMMIT')
        return result
      } catch (error) {
        for (const database of databases) if (database.isTransaction) database.exec('ROLLBACK')
        this.#clearCaches()
        throw error
      }
    })
  }

  #clearCaches(): void {
    this.#drafts.clear()
    this.#drivers.clear()
    this.#changedDrivers.clear()
    this.#counts.clear()
    this.beginListing()
  }

  #prepare(sql: string): StatementSync {
    return this.#cached(this.#database, sql)
  }

  #inPeople(sql: string): StatementSync | undefined {
    return this.#people === undefined ? undefined : this.#cached(this.#people, sql)
  }

  #cached(database: DatabaseSync, sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const statement = database.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}

interface Driver {
  firstSeenAt: string
  lastSeenAt: string
  vehicle: Value
  name: Value
  phone: Value
  /** The person as it was written last. */
  written?: string
}

/** The periods whose deliveries an archive has, by events or by a backfill, oldest first. */
export function periodsOf(database: DatabaseSync): Period[] {
  const rows = database.prepare("SELECT * FROM syncs WHERE source GLOB 'events*' OR source GLOB 'backfill*'").all()
  return mergedPeriods(rows.flatMap((row) => coverageOf(row) ?? []))
}

/** The period of a row of `syncs`. */
export function coverageOf(row: Record<string, unknown> | undefined): Coverage | undefined {
  if (row === undefined) return undefined
  const position = typeof row.position === 'string' ? tryParseJson(row.position)?.value : undefined
  return {
    fromMs: Date.parse(String(row.from_at)),
    toMs: Date.parse(String(row.to_at)),
    position: isRecord(position) ? position : {},
  }
}

function columnValue(value: unknown): Value {
  return typeof value === 'string' || typeof value === 'number' ? value : null
}
