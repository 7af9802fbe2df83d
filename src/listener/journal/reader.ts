import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { tryParseJson } from '../../shared/json.js'
import { damagedJournal, reading } from './failure.js'
import { openJournalForReading } from './schema.js'

/** How an event came: posted by the service, or fetched from its list of events and signed here. */
export type EventSource = 'webhook' | 'pull'

/** An event as it is kept: the bytes and headers as they came first. */
export interface JournalEvent {
  /** Grows with arrival. */
  seq: number
  id: string
  source: EventSource
  receivedAtMs: number
  timestampSeconds: number
  /** The name of the secret that verified it. */
  secret: string
  /** Names and values in turn, as they came. */
  rawHeaders: string[]
  body: Uint8Array
  eventType: string | undefined
  deliveryId: string | undefined
  occurredAt: string | undefined
  /** How often the same event came again. */
  repeats: number
  /** How many other bodies came under the same id; kept aside, never taken. */
  conflicts: number
}

/** Where an event was to be passed on, and how that stands. */
export interface ForwardState {
  url: string
  state: 'pending' | 'delivered' | 'given-up'
  attempts: number
  /** Of the last answer; `null` where none came yet. */
  status: number | null
}

export interface JournalFilter {
  /** Received at or after, and before. */
  sinceMs?: number
  untilMs?: number
  deliveryId?: string
  /** Exact, or with a star, as in `driver.*`. */
  eventTypes?: readonly string[]
  /** The newest so many; all unless given. */
  limit?: number
}

export interface JournalReader {
  has(id: string): boolean
  get(id: string): JournalEvent | undefined
  count(): number
  /** The state of an event at each of its targets. */
  forwardsOf(seq: number): ForwardState[]
  /** Events in order of arrival, read one by one. */
  list(filter?: JournalFilter): Iterable<JournalEvent>
  cursor(name: string): string | undefined
  close(): void
}

/**
 * Opens a journal for reading; a listener may be writing it at the same time.
 *
 * @throws UsageError where there is none.
 */
export function readJournal(file: string): JournalReader {
  return reading(file, () => journalReader(openJournalForReading(file), file))
}

const columns = `seq, id, source, received_at_ms, timestamp_seconds, secret, raw_headers, body, event_type, delivery_id,
  occurred_at, repeats, (SELECT count(*) FROM conflicts WHERE conflicts.id = events.id) AS conflicts`

/** The reading half of a journal on an open database. @internal */
export function journalReader(database: DatabaseSync, file: string): JournalReader {
  const has = database.prepare('SELECT 1 FROM events WHERE id = ?')
  const get = database.prepare(`SELECT ${columns} FROM events WHERE id = ?`)
  const cursor = database.prepare('SELECT value FROM cursors WHERE name = ?')
  const count = database.prepare('SELECT count(*) AS count FROM events')
  const forwards = database.prepare('SELECT url, state, attempts, status FROM forwards WHERE seq = ? ORDER BY url')
  return {
    has: (id) => reading(file, () => has.get(id)) !== undefined,
    get: (id) => {
      const row = reading(file, () => get.get(id))
      return row === undefined ? undefined : eventOf(row, file)
    },
    forwardsOf: (seq) => reading(file, () => forwards.all(seq)).map(forwardOf),
    count: () => Number(reading(file, () => count.get())?.count),
    *list(filter = {}) {
      const { where, values } = conditions(filter)
      const isNarrow = filter.deliveryId !== undefined || filter.eventTypes !== undefined
      // Left to itself, SQLite would read all bodies to find the few of a delivery.
      const index = isNarrow ? 'INDEXED BY events_by_arrival' : ''
      const newest = `WHERE seq IN (SELECT seq FROM events ${index} ${where} ORDER BY seq DESC LIMIT ?)`
      const chosen = filter.limit === undefined && !isNarrow ? where : newest
      if (chosen === newest) values.push(filter.limit ?? -1)
      const rows = reading(file, () =>
        database.prepare(`SELECT ${columns} FROM events ${chosen} ORDER BY seq`).iterate(...values),
      )
      for (;;) {
        const next = reading(file, () => rows.next())
        if (next.done === true) return
        yield eventOf(next.value, file)
      }
    },
    cursor: (name) => {
      const row = reading(file, () => cursor.get(name))
      return row === undefined ? undefined : String(row.value)
    },
    close: () => database.close(),
  }
}

function conditions(filter: JournalFilter): { where: string; values: (string | number)[] } {
  const terms: string[] = []
  const values: (string | number)[] = []
  const add = (term: string, ...bound: (string | number)[]) => {
    terms.push(term)
    values.push(...bound)
  }
  if (filter.sinceMs !== undefined) add('received_at_ms >= ?', filter.sinceMs)
  if (filter.untilMs !== undefined) add('received_at_ms < ?', filter.untilMs)
  if (filter.deliveryId !== undefined) add('delivery_id = ?', filter.deliveryId)
  if (filter.eventTypes !== undefined && filter.eventTypes.length > 0) {
    add(`(${filter.eventTypes.map(() => 'event_type GLOB ?').join(' OR ')})`, ...filter.eventTypes)
  }
  return { where: terms.length === 0 ? '' : `WHERE ${terms.join(' AND ')}`, values }
}

function forwardOf({ url, state, attempts, status }: Record<string, SQLOutputValue>): ForwardState {
  return {
    url: String(url),
    state: state === 'delivered' || state === 'given-up' ? state : 'pending',
    attempts: Number(attempts),
    status: status === null ? null : Number(status),
  }
}

function eventOf(row: Record<string, SQLOutputValue>, file: string): JournalEvent {
  const rawHeaders = tryParseJson(String(row.raw_headers))?.value
  if (!Array.isArray(rawHeaders)) throw damagedJournal(file, `the headers of event ${row.id} are not JSON`)
  return {
    seq: Number(row.seq),
    id: String(row.id),
    source: row.source === 'pull' ? 'pull' : 'webhook',
    receivedAtMs: Number(row.received_at_ms),
    timestampSeconds: Number(row.timestamp_seconds),
    secret: String(row.secret),
    rawHeaders: rawHeaders.map(String),
    body: row.body instanceof Uint8Array ? row.body : new Uint8Array(),
    eventType: textOf(row.event_type),
    deliveryId: textOf(row.delivery_id),
    occurredAt: textOf(row.occurred_at),
    repeats: Number(row.repeats),
    conflicts: Number(row.conflicts),
  }
}

function textOf(value: SQLOutputValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}
