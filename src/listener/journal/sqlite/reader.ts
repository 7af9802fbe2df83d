import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { textOf, tryParseJson } from '../../../shared/json.js'
import { targetName } from '../../../shared/target-name.js'
import type { JournalEvent } from '../event.js'
import type { ForwardState } from '../forwards.js'
import type { Backlog, GivenUp, JournalFilter, JournalReader } from '../reader.js'
import { shownBacklog, shownGivenUp } from '../shown-targets.js'
import { ofAccounts, otherAccounts } from './accounts.js'
import { damagedJournal, reading } from './failure.js'
import { listenerCursor, listenerOf } from './listener-record.js'
import { openJournalForReading } from './schema.js'
import { sqliteTargets } from './targets.js'

/**
 * Opens a journal for reading; a listener may be writing it at the same time.
 *
 * @throws UsageError if there is none.
 */
export function readSqliteJournal(file: string, accounts?: readonly string[]): JournalReader {
  return reading(file, () => {
    const { bySeq: _, ...reader } = journalReader(openJournalForReading(file), file, accounts)
    return reader
  })
}

/** Bodies have up to a megabyte. */
const pageSize = 100

const columns = `seq, id, account, source, received_at_ms, timestamp_seconds, secret, raw_headers, body, event_type, delivery_id,
  occurred_at, repeats, (SELECT count(*) FROM conflicts WHERE conflicts.seq = events.seq) AS conflicts`

/** The reading half of a journal on an open database. @internal */
export function journalReader(
  database: DatabaseSync,
  file: string,
  accounts: readonly string[] | undefined,
): JournalReader & { bySeq(seq: number): JournalEvent | undefined } {
  const own = ofAccounts(accounts)
  const ofOne = `id = ?1 AND ${own} AND (?2 IS NULL OR account = ?2)`
  const has = database.prepare(`SELECT 1 FROM events WHERE ${ofOne}`)
  const get = database.prepare(`SELECT ${columns} FROM events WHERE ${ofOne} ORDER BY seq LIMIT 1`)
  const numbered = database.prepare(`SELECT ${columns} FROM events WHERE seq = ?`)
  const cursor = database.prepare('SELECT value FROM cursors WHERE name = ?')
  const newest = database.prepare(`SELECT max(received_at_ms) AS ms FROM events WHERE ${own}`)
  const count = database.prepare(`SELECT count(*) AS count FROM events WHERE ${own}`)
  const forwards = database.prepare('SELECT url, state, attempts, status FROM forwards WHERE seq = ? ORDER BY url')
  return {
    async has(ids, account) {
      return new Set(ids.filter((id) => reading(file, () => has.get(id, account ?? null)) !== undefined))
    },
    async get(id, account) {
      const row = reading(file, () => get.get(id, account ?? null))
      return row === undefined ? undefined : eventOf(row, file)
    },
    bySeq(seq) {
      const row = reading(file, () => numbered.get(seq))
      return row === undefined ? undefined : eventOf(row, file)
    },
    others: async () => otherAccounts(database, file, accounts),
    forwardsOf: async (seq) => reading(file, () => forwards.all(seq)).map(forwardOf),
    count: async () => Number(reading(file, () => count.get())?.count),
    async *list(filter = {}) {
      const isNarrow =
        accounts !== undefined ||
        filter.account !== undefined ||
        filter.deliveryId !== undefined ||
        filter.eventTypes !== undefined
      const isChosen = isNarrow || filter.givenUp === true || filter.limit !== undefined
      const rows = isChosen ? chosenRows(filter, isNarrow) : allRows(filter)
      for (const row of rows) yield eventOf(row, file)
    },
    async cursor(name) {
      const row = reading(file, () => cursor.get(name))
      return row === undefined ? undefined : String(row.value)
    },
    async status() {
      const pending = shownBacklog(backlogOf(database, file, Date.now(), accounts))
      const givenUp = shownGivenUp(givenUpOf(database, file, accounts))
      const row = reading(file, () => newest.get())
      const lastEventAt = row?.ms == null ? null : new Date(Number(row.ms)).toISOString()
      const record = reading(file, () => cursor.get(listenerCursor))
      const listener = listenerOf(file, record === undefined ? undefined : String(record.value))
      const shards = { total: 0, owned: 0, unowned: 0 }
      return { listener, lastEventAt, members: [], shards, pending, givenUp, standbys: [] }
    },
    targets: async () =>
      sqliteTargets(
        database,
        file,
        backlogOf(database, file, Date.now(), accounts),
        givenUpOf(database, file, accounts),
      ),
    async close() {
      if (database.isOpen) database.close()
    },
  }

  /** The newest of those that match, whose numbers are found first: left to itself, SQLite would read all bodies. */
  function* chosenRows(filter: JournalFilter, isNarrow: boolean) {
    const { where, values } = conditions(filter, accounts)
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
    const { where, values } = conditions(filter, accounts)
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

function conditions(
  filter: JournalFilter,
  accounts: readonly string[] | undefined,
): { where: string; values: (string | number)[] } {
  const terms: string[] = []
  const values: (string | number)[] = []
  const add = (term: string, ...bound: (string | number)[]) => {
    terms.push(term)
    values.push(...bound)
  }
  if (accounts !== undefined) add(ofAccounts(accounts))
  if (filter.account !== undefined) add('account = ?', filter.account)
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
    url: targetName(String(url)),
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
    account: String(row.account),
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

/** A condition on a row of `forwards`: its event belongs to one of these accounts. */
function forwardsOf(accounts: readonly string[] | undefined): string {
  return accounts === undefined ? 'TRUE' : `(SELECT ${ofAccounts(accounts)} FROM events e WHERE e.seq = forwards.seq)`
}

function givenUpOf(database: DatabaseSync, file: string, accounts: readonly string[] | undefined): GivenUp[] {
  const given = database.prepare(
    `SELECT url, count(*) AS count FROM forwards WHERE state = 'given-up' AND ${forwardsOf(accounts)} GROUP BY url ORDER BY url`,
  )
  return reading(file, () => given.all()).map(({ url, count }) => ({ url: String(url), count: Number(count) }))
}

function backlogOf(
  database: DatabaseSync,
  file: string,
  nowMs: number,
  accounts: readonly string[] | undefined,
): Backlog[] {
  const waiting = database.prepare(`
    SELECT url, count(*) AS count, min(seq) AS oldest FROM forwards WHERE state = 'pending' AND ${forwardsOf(accounts)}
    GROUP BY url ORDER BY url`)
  const receivedAt = database.prepare('SELECT received_at_ms AS ms FROM events WHERE seq = ?')
  return reading(file, () => waiting.all()).map(({ url, count, oldest }) => {
    const row = reading(file, () => receivedAt.get(Number(oldest)))
    const oldestSeconds = Math.max(0, Math.round((nowMs - Number(row?.ms ?? nowMs)) / 1_000))
    return { url: String(url), count: Number(count), oldestSeconds }
  })
}
