import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { tryParseJson } from '../../../shared/json.js'
import { shownUrl } from '../../../shared/web-address.js'
import type { JournalEvent } from '../event.js'
import type { ForwardState } from '../forwards.js'
import type { Backlog, GivenUp, JournalFilter, JournalReader } from '../reader.js'
import { shownBacklog, shownGivenUp } from '../shown-targets.js'
import { damagedJournal, reading } from './failure.js'
import { listenerCursor, listenerOf } from './listener-record.js'
import { openJournalForReading } from './schema.js'
import { sqliteTargets } from './targets.js'

/**
 * Opens a journal for reading; a listener may be writing it at the same time.
 *
 * @throws UsageError if there is none.
 */
export function readSqliteJournal(file: string): JournalReader {
  return reading(file, () => journalReader(openJournalForReading(file), file))
}

/** Bodies have up to a megabyte. */
const pageSize = 100

const columns = `seq, id, source, received_at_ms, timestamp_seconds, secret, raw_headers, body, event_type, delivery_id,
  occurred_at, repeats, (SELECT count(*) FROM conflicts WHERE conflicts.id = events.id) AS conflicts`

/** The reading half of a journal on an open database. @internal */
export function journalReader(database: DatabaseSync, file: string): JournalReader {
  const has = database.prepare('SELECT 1 FROM events WHERE id = ?')
  const get = database.prepare(`SELECT ${columns} FROM events WHERE id = ?`)
  const cursor = database.prepare('SELECT value FROM cursors WHERE name = ?')
  const newest = database.prepare('SELECT max(received_at_ms) AS ms FROM events')
  const count = database.prepare('SELECT count(*) AS count FROM events')
  const forwards = database.prepare('SELECT url, state, attempts, status FROM forwards WHERE seq = ? ORDER BY url')
  return {
    async has(ids) {
      return new Set(ids.filter((id) => reading(file, () => has.get(id)) !== undefined))
    },
    async get(id) {
      const row = reading(file, () => get.get(id))
      return row === undefined ? undefined : eventOf(row, file)
    },
    forwardsOf: async (seq) => reading(file, () => forwards.all(seq)).map(forwardOf),
    count: async () => Number(reading(file, () => count.get())?.count),
    async *list(filter = {}) {
      const isNarrow = filter.deliveryId !== undefined || filter.eventTypes !== undefined
      const isChosen = isNarrow || filter.givenUp === true || filter.limit !== undefined
      const rows = isChosen ? chosenRows(filter, isNarrow) : allRows(filter)
      for (const row of rows) yield eventOf(row, file)
    },
    async cursor(name) {
      const row = reading(file, () => cursor.get(name))
      return row === undefined ? undefined : String(row.value)
    },
    async status() {
      const pending = shownBacklog(backlogOf(database, file, Date.now()))
      const givenUp = shownGivenUp(givenUpOf(database, file))
      const row = reading(file, () => newest.get())
      const lastEventAt = row?.ms == null ? null : new Date(Number(row.ms)).toISOString()
      const record = reading(file, () => cursor.get(listenerCursor))
      const listener = listenerOf(file, record === undefined ? undefined : String(record.value))
      const shards = { total: 0, owned: 0, unowned: 0 }
      return { listener, lastEventAt, members: [], shards, pending, givenUp, standbys: [] }
    },
    targets: async () =>
      sqliteTargets(database, file, backlogOf(database, file, Date.now()), givenUpOf(database, file)),
    async close() {
      if (database.isOpen) database.close()
    },
  }

  /** The newest of those that match, whose numbers are found first: left to itself, SQLite would read all bodies. */
  function* chosenRows(filter: JournalFilter, isNarrow: boolean) {
    const { where, values } = conditions(filter)
    const index = isNarrow ? 'INDEXED BY events_by_arrival' : ''
    const chosen = `WHERE seq IN (SELECT seq FROM events ${index} ${where} ORDER BY seq DESC LIMIT ?)`
    const found = reading(file, () =>
      database.prepare(`SELECT seq FROM events ${chosen} ORDER BY seq`).all(...values, filter.limit ?? -1),
    )
    const bySeq = database.prepare(`SELECT ${columns} FROM events WHERE seq = ?`)
    for (const { seq } of found) {
      const row = reading(file, () => bySeq.get(Number(seq)))
      if (row !== undefined) yield row
    }
  }

  /** Page by page, so that no statement stays open while somebody is slow to read. */
  function* allRows(filter: JournalFilter) {
    const { where, values } = conditions(filter)
    const page = database.prepare(
      `SELECT ${columns} FROM events ${where === '' ? 'WHERE' : `${where} AND`} seq > ? ORDER BY seq LIMIT ${pageSize}`,
    )
    for (let after = 0; ; ) {
      const rows = reading(file, () => page.all(...values, after))
      yield* rows
      after = Number(rows.at(-1)?.seq ?? 0)
      if (rows.length < pageSize) return
    }
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
  if (filter.givenUp) add("seq IN (SELECT seq FROM forwards WHERE state = 'given-up')")
  if (filter.eventTypes !== undefined && filter.eventTypes.length > 0) {
    add(`(${filter.eventTypes.map(() => 'event_type GLOB ?').join(' OR ')})`, ...filter.eventTypes)
  }
  return { where: terms.length === 0 ? '' : `WHERE ${terms.join(' AND ')}`, values }
}

function forwardOf({ url, state, attempts, status }: Record<string, SQLOutputValue>): ForwardState {
  return {
    url: shownUrl(String(url)),
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

function givenUpOf(database: DatabaseSync, file: string): GivenUp[] {
  const given = database.prepare(
    "SELECT url, count(*) AS count FROM forwards WHERE state = 'given-up' GROUP BY url ORDER BY url",
  )
  return reading(file, () => given.all()).map(({ url, count }) => ({ url: String(url), count: Number(count) }))
}

function backlogOf(database: DatabaseSync, file: string, nowMs: number): Backlog[] {
  const waiting = database.prepare(`
    SELECT url, count(*) AS count, min(seq) AS oldest FROM forwards WHERE state = 'pending' GROUP BY url ORDER BY url`)
  const receivedAt = database.prepare('SELECT received_at_ms AS ms FROM events WHERE seq = ?')
  return reading(file, () => waiting.all()).map(({ url, count, oldest }) => {
    const row = reading(file, () => receivedAt.get(Number(oldest)))
    const oldestSeconds = Math.max(0, Math.round((nowMs - Number(row?.ms ?? nowMs)) / 1_000))
    return { url: String(url), count: Number(count), oldestSeconds }
  })
}
