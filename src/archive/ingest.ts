import type { StatementSync } from 'node:sqlite'
import { isRecord } from '../shared/json.js'
import { DeliveryDraft, type DeliveryRow, type SentOrder } from './delivery-draft.js'
import { Drivers, EventCounts } from './drivers-and-counts.js'
import {
  deliveryRowsOf,
  type EventRows,
  eventRows,
  type IncomingEvent,
  iso,
  isoOf,
  type Snapshot,
  type Value,
} from './event-rows.js'
import type { ArchiveFiles, Coverage } from './files.js'
import type { People } from './people.js'
import { deliveryColumns, eventColumns, indexedColumns, sql, updateDelivery, updatedColumns } from './tables.js'

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

/** One moment of a listing: its events so far, and the deliveries that had an ETA in them. */
export class ListingMoment {
  #at = ''
  readonly #ids = new Set<Value>()
  readonly #etas = new Set<string>()

  begin(at: string): void {
    this.#at = at
    this.#ids.clear()
    this.#etas.clear()
  }

  /** The next event of the listing is of this time. */
  reach(at: string): void {
    if (this.#at !== at) this.begin(at)
  }

  /** Whether a snapshot of this moment is its delivery's newest, and the first that has an ETA. */
  placeOf({ deliveryId, values }: Snapshot, { seenAt, seenEventId }: DeliveryDraft, isLast = false) {
    // Of events of one moment, the last of the service's list wins.
    const isAfter = this.#at === seenAt && (isLast || this.#ids.has(seenEventId))
    const isFirstEta = !this.#etas.has(deliveryId)
    if (values.newest_eta != null) this.#etas.add(deliveryId)
    return { isNewest: this.#at > seenAt || isAfter, isFirstEta }
  }

  /** An event of this moment has been read. */
  pass(id: string): void {
    this.#ids.add(id)
  }
}

/** The facts of a delivery that its order, sent by dlv, has. */
export function orderOf(reference: Value, prepare: (sql: string) => StatementSync): SentOrder | undefined {
  if (reference === null) return undefined
  const row = prepare(
    `SELECT quoted_eta, window_start, window_end, installation_code FROM orders WHERE client_order_reference = ?`,
  ).get(reference)
  return row as SentOrder | undefined
}

/** Writes events and deliveries into the tables: each page in one transaction, with how far its source is covered by it. */
export class Ingest {
  readonly #drafts = new Map<string, DeliveryDraft>()
  readonly #drivers: Drivers
  readonly #counts: EventCounts
  readonly #moment = new ListingMoment()
  readonly #namedUnread = new Set<string>()
  /** Number of deliveries that were not known when this archive was opened. */
  newDeliveries = 0

  constructor(
    private readonly files: ArchiveFiles,
    private readonly people: People,
    private readonly nowMs: () => number,
  ) {
    this.#drivers = new Drivers(files, people)
    this.#counts = new EventCounts((text) => files.prepare(text))
  }

  /** A new listing begins: which events of one moment come first is told by its order. */
  beginListing(): void {
    this.#moment.begin('')
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
    return this.files.transaction(() => {
      const page: WrittenPage = { added: 0, unread: [] }
      const seenAt = isoOf(this.nowMs())
      for (const event of events) {
        const rows = eventRows(event)
        if (typeof rows === 'string') this.#keepUnread(event, rows, seenAt, page)
        else if (this.#add(event, rows, seenAt, source)) page.added++
      }
      this.#flush()
      if (coverage !== undefined) this.files.cover('events', coverage, clockAheadMs)
      return page
    })
  }

  /**
   * Writes deliveries as `GET /deliveries/{deliveryId}` gives them, with the period that a backfill covers by them. Returns how many could be read.
   *
   * @throws UsageError if a file cannot be written
   */
  writeDeliveries(deliveries: readonly unknown[], coverage?: Coverage): number {
    return this.files.transaction(() => {
      let count = 0
      for (const delivery of deliveries) {
        const rows = isRecord(delivery) ? deliveryRowsOf(delivery) : undefined
        if (rows?.snapshot === undefined) continue
        const { snapshot } = rows
        const draft = this.#draft(snapshot.deliveryId)
        this.#addDelivery(rows, draft, null, snapshot.at > draft.seenAt, isoOf(this.nowMs()))
        count++
      }
      this.#flush()
      if (coverage !== undefined) this.files.cover('backfill', coverage)
      return count
    })
  }

  /** Whether the event is new. */
  #add(event: IncomingEvent, rows: EventRows, seenAt: string, source: EventSource): boolean {
    const { event: row, snapshot, driver, change } = rows
    const { event_id: id, occurred_at: at } = row
    this.#moment.reach(at)
    const values = eventColumns.map((column) => (column === 'first_seen_at' ? seenAt : (row[column] ?? null)))
    const isNew = this.files.prepare(sql.insert.events).run(...values).changes === 1
    if (isNew) this.#counts.add(row, 1)
    else this.#updateEvent(row)
    if (snapshot !== undefined) {
      const draft = this.#draft(snapshot.deliveryId)
      const isNewOfJournal = source === 'journal' && isNew
      const { isNewest, isFirstEta } = this.#moment.placeOf(snapshot, draft, isNewOfJournal)
      this.#addDelivery(rows, draft, id, isNewest, at, source === 'list' && isFirstEta)
    } else if (driver !== undefined) this.#drivers.add(driver, at)
    if (change !== undefined)
      this.files
        .prepare(sql.insert.installation_changes)
        .run(id, change.installation_code, row.event_type ?? null, at, change.effective_at, change.summary)
    this.#moment.pass(id)
    const { delivery_id: deliveryId } = row
    this.people.keepBody(event, row, deliveryId === null ? at : this.#draft(deliveryId).createdAt, isNew)
    return isNew
  }

  #updateEvent(row: EventRows['event']): void {
    const known = this.files
      .prepare(
        `SELECT occurred_at, delivery_attempts, last_delivery_status, last_attempt_at, received_at FROM events WHERE event_id = ?`,
      )
      .get(row.event_id) as Record<(typeof toldColumns)[number] | 'occurred_at', Value>
    const told = toldColumns.map((column) =>
      column === 'received_at' ? (known[column] ?? row[column] ?? null) : (row[column] ?? known[column]),
    )
    if (toldColumns.every((column, index) => known[column] === told[index])) return
    this.files
      .prepare(`UPDATE events SET ${toldColumns.map((column) => `${column} = ?`).join(', ')} WHERE event_id = ?`)
      .run(...told, row.event_id)
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
      this.files
        .prepare(
          `INSERT INTO status_history VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET
           status_reason_code = excluded.status_reason_code
         WHERE status_reason_code IS NULL AND excluded.status_reason_code IS NOT NULL`,
        )
        .run(deliveryId, since, status, reason)
    if (location !== undefined)
      this.files
        .prepare(sql.insert.locations)
        .run(deliveryId, location.measured_at, location.driver_id, location.latitude, location.longitude)
    if (proofs.length > 0) this.#putProofs(deliveryId, proofs, isNewest)
    if (driver !== undefined) this.#drivers.add(driver, at)
    if (person !== undefined) this.people.put(deliveryId, person, draft, isSeen)
  }

  #putProofs(deliveryId: string, proofs: NonNullable<EventRows['proofs']>, isNewest: boolean): void {
    const put = this.files.prepare(isNewest ? sql.upsert.proofs : sql.insert.proofs)
    for (const [index, { type, stage, captured_at }] of proofs.entries())
      put.run(deliveryId, index + 1, type, stage, captured_at)
  }

  /** An event that cannot be read is kept as it is, and named once. */
  #keepUnread(event: IncomingEvent, problem: string, seenAt: string, page: WrittenPage): void {
    const { eventId, deliveryId, body, record } = event
    if (this.#namedUnread.has(eventId)) return
    this.#namedUnread.add(eventId)
    const occurredMs = Date.parse(event.occurredAt ?? '')
    const at = iso(occurredMs) ?? seenAt
    const isForgotten = this.people.isForgotten(deliveryId, at)
    const bytes = record ?? body ?? new Uint8Array()
    if (
      this.files.people !== undefined &&
      !isForgotten &&
      !this.people.putBody('unread', eventId, deliveryId, at, bytes)
    )
      return
    page.unread.push({ eventId, problem })
  }

  #draft(deliveryId: string): DeliveryDraft {
    const cached = this.#drafts.get(deliveryId)
    if (cached !== undefined) return cached
    const row = this.files.prepare('SELECT * FROM deliveries WHERE delivery_id = ?').get(deliveryId)
    const draft = new DeliveryDraft(deliveryId, row as DeliveryRow | undefined)
    this.#drafts.set(deliveryId, draft)
    return draft
  }

  /** Writes the deliveries and drivers that have changed. */
  #flush(): void {
    for (const [deliveryId, draft] of this.#drafts) if (draft.isChanged) this.#putDelivery(deliveryId, draft)
    this.#drivers.flush()
    this.#counts.flush()
    for (const deliveryId of this.#drafts.keys()) {
      if (this.#drafts.size <= cachedDeliveries) break
      this.#drafts.delete(deliveryId)
    }
  }

  #putDelivery(deliveryId: string, draft: DeliveryDraft): void {
    const row = draft.row(orderOf(draft.reference, (text) => this.files.prepare(text)))
    const values = (columns: readonly string[]) => columns.map((column) => row[column] ?? null)
    const isUpdated =
      !draft.isNew &&
      this.files.prepare(updateDelivery).run(...values(updatedColumns), deliveryId, ...values(indexedColumns))
        .changes === 1
    if (!isUpdated) this.files.prepare(sql.upsert.deliveries).run(...values(deliveryColumns))
    if (draft.isNew) this.newDeliveries++
    draft.isChanged = false
    draft.isNew = false
  }

  /** Reads deliveries again that were created with these orders. */
  refresh(references: readonly string[]): void {
    this.files.transaction(() => {
      for (const reference of references) {
        const find = this.files.prepare('SELECT delivery_id FROM deliveries WHERE client_order_reference = ?')
        for (const row of find.all(reference)) this.#draft(String(row.delivery_id)).isChanged = true
      }
      this.#flush()
    })
  }

  /** Forgets what memory has of the files. */
  clear(): void {
    this.#drafts.clear()
    this.#drivers.clear()
    this.#counts.clear()
    this.beginListing()
  }
}
