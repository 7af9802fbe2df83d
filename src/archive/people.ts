import { UsageError } from '../contract/index.js'
import { naming } from './database.js'
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
        if (person + bodies > 0) count++
      }
      remove('DELETE FROM bodies WHERE at < ? AND delivery_id IS NULL', before)
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
