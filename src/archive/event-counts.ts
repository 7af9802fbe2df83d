import type { StatementSync } from 'node:sqlite'
import { hourOf, type Value } from './event-rows.js'
import { sql } from './tables.js'

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
