import type { StatementSync } from 'node:sqlite'
import { type EventRows, hourOf, type Value } from './event-rows.js'
import type { ArchiveFiles } from './files.js'
import type { People } from './people.js'
import { sql } from './tables.js'

interface Driver {
  firstSeenAt: string
  lastSeenAt: string
  vehicle: Value
  name: Value
  phone: Value
  /** The person as it was written last. */
  written?: string
}

/** The table `drivers`, and who they are. What is written is what the newest event that tells it says. */
export class Drivers {
  private readonly known = new Map<string, Driver>()
  private readonly changed = new Set<string>()

  constructor(
    private readonly files: ArchiveFiles,
    private readonly people: People,
  ) {}

  /** Takes what an event, or a delivery, says of a driver. */
  add({ driverId, vehicle, name, phone }: NonNullable<EventRows['driver']>, at: string): void {
    const known = this.known.get(driverId) ?? this.stored(driverId)
    const driver = known ?? { firstSeenAt: at, lastSeenAt: '', vehicle: null, name: null, phone: null }
    this.known.set(driverId, driver)
    if (at < driver.firstSeenAt) driver.firstSeenAt = at
    const isNewer = at >= driver.lastSeenAt
    if (isNewer) driver.lastSeenAt = at
    driver.vehicle = isNewer ? (vehicle ?? driver.vehicle) : (driver.vehicle ?? vehicle)
    driver.name = isNewer ? (name ?? driver.name) : (driver.name ?? name)
    driver.phone = isNewer ? (phone ?? driver.phone) : (driver.phone ?? phone)
    this.changed.add(driverId)
  }

  private stored(driverId: string): Driver | undefined {
    const row = this.files.prepare('SELECT * FROM drivers WHERE driver_id = ?').get(driverId)
    if (row === undefined) return undefined
    const person = this.files.inPeople('SELECT * FROM driver_people WHERE driver_id = ?')?.get(driverId)
    return {
      firstSeenAt: String(row.first_seen_at),
      lastSeenAt: String(row.last_seen_at),
      vehicle: columnValue(row.vehicle_description),
      name: columnValue(person?.name),
      phone: columnValue(person?.phone_number),
    }
  }

  private put(driverId: string): void {
    const driver = this.known.get(driverId)
    if (driver === undefined) return
    const { vehicle, firstSeenAt, lastSeenAt, name, phone } = driver
    this.files.prepare(sql.upsert.drivers).run(driverId, vehicle, firstSeenAt, lastSeenAt)
    if (name === null && phone === null) return
    const text = `${name}\n${phone}`
    if (driver.written === text || lastSeenAt < this.people.forgottenBefore) return
    driver.written = text
    this.files.inPeople(sql.upsert.driver_people)?.run(driverId, name, phone)
  }

  /** Writes the drivers that have changed. */
  flush(): void {
    for (const driverId of this.changed) this.put(driverId)
    this.changed.clear()
  }

  clear(): void {
    this.known.clear()
    this.changed.clear()
  }
}

function columnValue(value: unknown): Value {
  return typeof value === 'string' || typeof value === 'number' ? value : null
}

/** The table `event_counts`: how the webhooks of each hour's events went, kept up to date with the events. */
export class EventCounts {
  /** Changes that are not written yet, by their keys. */
  readonly #changes = new Map<string, { key: Value[]; events: number; received: number }>()

  constructor(private readonly prepare: (sql: string) => StatementSync) {}

  /** Counts an event, or no longer counts it as it was. */
  add(event: Readonly<Record<string, Value>>, by: 1 | -1): void {
    const key = [hourOf(String(event.occurred_at)), event.delivery_attempts ?? 0, event.last_delivery_status ?? '']
    const change = this.#changes.get(key.join()) ?? { key, events: 0, received: 0 }
    this.#changes.set(key.join(), change)
    change.events += by
    if (event.received_at != null) change.received += by
  }

  flush(): void {
    for (const { key, events, received } of this.#changes.values()) {
      this.prepare(
        `${sql.insert.event_counts.replace('OR IGNORE ', '')} ON CONFLICT DO UPDATE SET
           events = events + excluded.events, received = received + excluded.received`,
      ).run(...key, events, received)
      if (events < 0)
        this.prepare(
          'DELETE FROM event_counts WHERE hour = ? AND delivery_attempts = ? AND last_delivery_status = ? AND events = 0',
        ).run(...key)
    }
    this.#changes.clear()
  }

  /** Counts all events again. */
  recount(): void {
    this.prepare('DELETE FROM event_counts').run()
    this.prepare(
      `INSERT INTO event_counts SELECT substr(occurred_at, 1, 13), coalesce(delivery_attempts, 0),
         coalesce(last_delivery_status, ''), count(*), count(received_at) FROM events GROUP BY 1, 2, 3`,
    ).run()
  }

  clear(): void {
    this.#changes.clear()
  }
}
