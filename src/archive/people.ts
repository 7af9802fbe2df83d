import { existsSync } from 'node:fs'
import { UsageError } from '../contract/index.js'
import type { OrderTexts } from '../sent/index.js'
import { tryParseJson } from '../shared/json.js'
import { type ArchivePaths, naming, openForReading } from './database.js'
import type { DeliveryDraft } from './delivery-draft.js'
import {
  deflated,
  type EventRows,
  type IncomingEvent,
  isoOf,
  type Person,
  searchText,
  type Value,
} from './event-rows.js'
import type { ArchiveFiles } from './files.js'
import { sql } from './tables.js'

const readTexts = 'SELECT * FROM order_texts WHERE client_order_reference = ?'

function textsOfRow(row: Record<string, unknown> | undefined): OrderTexts {
  const json = (value: unknown) => (typeof value === 'string' ? tryParseJson(value)?.value : undefined)
  return {
    ...(row?.description == null ? {} : { description: row.description }),
    ...(row?.items == null ? {} : { items: json(row.items) }),
    ...(row?.metadata == null ? {} : { metadata: json(row.metadata) }),
  }
}

/**
 * The words of an order that an archive keeps; none without the file.
 *
 * @throws UsageError if it cannot be read
 */
export function archivedTexts(paths: ArchivePaths, reference: string): OrderTexts {
  if (!existsSync(paths.people)) return {}
  return naming(paths.people, 'read', () => {
    const database = openForReading('people', paths.people)
    try {
      const isKept = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'order_texts'").get() !== undefined
      return isKept ? textsOfRow(database.prepare(readTexts).get(reference)) : {}
    } finally {
      database.close()
    }
  })
}

/** The second file: names, addresses and the JSON of events, and whose of them are forgotten. Nothing is kept without it. */
export class People {
  private forgotten = new Set<string>()
  /** The time before which people are forgotten, RFC 3339; empty if there is none. */
  forgottenBefore = ''

  constructor(
    private readonly files: ArchiveFiles,
    private readonly nowMs: () => number,
  ) {
    this.readForgotten()
  }

  /** Whether the personal data of a delivery, or of an event without one, is not to be kept. */
  isForgotten(deliveryId: string | null, createdAt: string): boolean {
    return createdAt < this.forgottenBefore || (deliveryId !== null && this.forgotten.has(deliveryId))
  }

  private readForgotten(): void {
    const rows = this.files.prepare('SELECT delivery_id FROM forgotten').all()
    this.forgotten = new Set(rows.map((row) => String(row.delivery_id)))
    this.forgottenBefore = this.files.setting('forgotten_before') ?? ''
  }

  /** Keeps the person at a dropoff. */
  put(deliveryId: string, person: Person, draft: DeliveryDraft, isSeen: boolean): void {
    if (this.files.people === undefined || (!isSeen && draft.person !== undefined)) return
    const { contact_name, contact_phone, address, instructions } = person
    const text = `${contact_name}\n${contact_phone}\n${address}\n${instructions}`
    if (text === draft.person || this.isForgotten(deliveryId, draft.createdAt)) return
    draft.person = text
    if (contact_name === null && contact_phone === null && address === null && instructions === null) return
    const values = [deliveryId, contact_name, contact_phone, address, instructions, searchText(person)]
    this.files.inPeople(isSeen ? sql.upsert.people : sql.insert.people)?.run(...values)
  }

  /** The words of an order that are kept. */
  textsOf(reference: string): OrderTexts {
    return textsOfRow(this.files.inPeople(readTexts)?.get(reference))
  }

  /** Keeps the words of an order, unless its delivery is forgotten. */
  putTexts(reference: string, atMs: number, { description, items, metadata }: OrderTexts): void {
    if (this.files.people === undefined) return
    const deliveries = this.files
      .prepare('SELECT delivery_id, created_at, seen_at FROM deliveries WHERE client_order_reference = ?')
      .all(reference)
    const sentAt = isoOf(atMs)
    const isForgotten = (id: string | null, createdAt: unknown) => this.isForgotten(id, String(createdAt ?? sentAt))
    if (isForgotten(null, sentAt)) return
    if (deliveries.some((row) => isForgotten(String(row.delivery_id), row.created_at ?? row.seen_at))) return
    const json = (value: unknown) => (value == null ? null : JSON.stringify(value))
    const text = typeof description === 'string' ? description : json(description)
    this.files.inPeople(sql.upsert.order_texts)?.run(reference, sentAt, text, json(items), json(metadata))
  }

  /** Keeps bytes that are not kept yet; returns whether they were new. */
  putBody(kind: string, id: string, deliveryId: string | null, at: string, body: Uint8Array): boolean {
    if (this.files.inPeople('SELECT 1 FROM bodies WHERE kind = ? AND id = ?')?.get(kind, id) !== undefined) return false
    this.files.inPeople(sql.insert.bodies)?.run(kind, id, deliveryId, at, deflated(body))
    return true
  }

  /** Keeps an event's own JSON. */
  keepBody(
    { body }: IncomingEvent,
    { event_id: id, delivery_id: deliveryId, occurred_at: at }: EventRows['event'],
    createdAt: string,
    isNew: boolean,
  ): void {
    if (this.files.people === undefined || body === undefined) return
    if (this.isForgotten(deliveryId, createdAt)) return
    if (isNew) this.files.inPeople(sql.insert.bodies)?.run('event', id, deliveryId, at, deflated(body))
    else this.putBody('event', id, deliveryId, at, body)
  }

  /**
   * Removes the personal data of deliveries from the bytes of the second file, now and in later fills; their figures stay.
   *
   * @returns how many deliveries had some
   * @throws UsageError if the file cannot be written, or another process keeps reading what is to be removed
   */
  forget(which: { deliveryIds: readonly string[] } | { beforeMs: number }): number {
    // The wish is on disk first: if this process is killed, the next one that writes completes it.
    this.files.transaction(() => {
      if ('beforeMs' in which) {
        const before = isoOf(which.beforeMs)
        if (before > this.forgottenBefore) this.files.set('forgotten_before', before)
      } else
        for (const deliveryId of which.deliveryIds)
          this.files.prepare(sql.insert.forgotten).run(deliveryId, isoOf(this.nowMs()))
    })
    this.readForgotten()
    return this.purge()
  }

  /** Removes what is forgotten, and returns of how many deliveries. */
  purge(): number {
    const people = this.files.people
    if (people === undefined) return 0
    const before = this.forgottenBefore
    const older =
      before === ''
        ? []
        : this.files.prepare('SELECT delivery_id FROM deliveries WHERE coalesce(created_at, seen_at) < ?').all(before)
    const ids = [...this.forgotten, ...older.map((row) => String(row.delivery_id))]
    const drivers =
      before === '' ? [] : this.files.prepare('SELECT driver_id FROM drivers WHERE last_seen_at < ?').all(before)
    const referenceOf = this.files.prepare('SELECT client_order_reference FROM deliveries WHERE delivery_id = ?')
    const references = (id: string) => referenceOf.all(id).map((row) => String(row.client_order_reference))
    let count = 0
    let changes = 0
    naming(this.files.paths.people, 'write', () => {
      people.exec('BEGIN IMMEDIATE')
      const remove = (sql: string, ...values: Value[]) => {
        const removed = Number(this.files.inPeople(sql)?.run(...values).changes)
        changes += removed
        return removed
      }
      for (const id of ids) {
        const person = remove('DELETE FROM people WHERE delivery_id = ?', id)
        const bodies = remove('DELETE FROM bodies WHERE delivery_id = ?', id)
        const texts = references(id).map((one) =>
          remove('DELETE FROM order_texts WHERE client_order_reference = ?', one),
        )
        if (person + bodies + texts.reduce((sum, one) => sum + one, 0) > 0) count++
      }
      remove('DELETE FROM bodies WHERE at < ? AND delivery_id IS NULL', before)
      remove('DELETE FROM order_texts WHERE sent_at < ?', before)
      for (const { driver_id } of drivers) remove('DELETE FROM driver_people WHERE driver_id = ?', String(driver_id))
      people.exec('COMMIT')
      if (changes > 0) this.rewrite()
    })
    return count
  }

  /** Rewrites the file and empties its log, whose bytes may still hold what was removed. */
  rewrite(): void {
    const { people } = this.files
    if (people === undefined) return
    people.exec('VACUUM')
    const { busy } = people.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() ?? {}
    if (busy !== 0)
      throw new UsageError(
        `Removed from ${this.files.paths.people}, but not from its log: another process is reading it.`,
        {
          hint: 'Stop what reads the archive, such as dlv ui, and run the same command again.',
        },
      )
  }
}
