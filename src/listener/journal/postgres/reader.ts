import type { Connection, Row } from '../../../postgres/index.js'
import { UsageError } from '../../../shared/dlv-error.js'
import { textOf, tryParseJson } from '../../../shared/json.js'
import { targetName } from '../../../shared/target-name.js'
import type { JournalEvent } from '../event.js'
import type { ForwardState } from '../forwards.js'
import type { JournalFilter, JournalReader } from '../reader.js'
import { likePattern, ofAccounts, storable } from './schema.js'
import { type KeptSession, readAgain, type Sessions } from './sessions.js'
import { readStatus } from './status.js'
import { readTargets } from './targets.js'

/** Rows of one page of a list, and the bytes of their bodies. */
const page = { rows: 500, bytes: 8 * 1_048_576 }

/** Number of further arrivals of the event `e`, with the same body and with others. */
const counts = `coalesce((SELECT repeats FROM dlv.ids WHERE ids.id = e.id AND ids.account = e.account), 0) AS repeats,
  (SELECT count(*) FROM dlv.conflicts WHERE conflicts.id = e.id AND conflicts.account = e.account) AS conflicts`

/** The reading half of a journal. */
export function postgresReader(
  sessions: Sessions,
  session: KeptSession,
  accounts: readonly string[] | undefined,
): JournalReader {
  const own = accounts?.map(storable) ?? null
  async function read<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    try {
      return await readAgain(session, work)
    } catch (error) {
      throw sessions.errorOf(error)
    }
  }
  const query = (name: string, text: string, values: readonly unknown[]): Promise<Row[]> =>
    read((connection) => connection.query({ name, text }, values, { timeoutMs: 30_000 }))

  return {
    async has(ids, account) {
      const text = `SELECT id FROM dlv.ids i WHERE id = ANY($1::text[]) AND ${ofAccounts('i', '$2')} AND ${ofOne('i', '$3')}`
      const rows = await query('has', text, [ids.map(storable), own, storable(account)])
      return new Set(rows.map(({ id }) => String(id)))
    },
    async get(id, account) {
      const [row] = await query('get', eventById, [storable(id), own, storable(account)])
      return row === undefined ? undefined : eventOf(row)
    },
    async count() {
      const [row] = await query('count', `SELECT count(*) FROM dlv.ids i WHERE ${ofAccounts('i', '$1')}`, [own])
      return Number(row?.count)
    },
    async others() {
      if (own === null) return []
      const text = `SELECT account, count(*) AS events FROM dlv.ids i WHERE NOT ${ofAccounts('i', '$1')} GROUP BY account ORDER BY account`
      const rows = await query('others', text, [own])
      return rows.map(({ account, events }) => ({ account: String(account), events: Number(events) }))
    },
    async forwardsOf(seq) {
      const text = 'SELECT url, state, attempts, status FROM dlv.forwards WHERE seq = $1 ORDER BY url'
      return (await query('forwards', text, [seq])).map(forwardOf)
    },
    async *list(filter = {}) {
      const { from, where, values } = selection(filter, own)
      let after = 0
      let left = filter.limit ?? Number.POSITIVE_INFINITY
      if (filter.limit !== undefined) {
        const newest = `SELECT seq FROM ${from} WHERE ${where} ORDER BY seq DESC LIMIT ${Math.floor(filter.limit)}`
        const [first] = await query('', `SELECT min(seq) AS seq FROM (${newest}) AS newest`, values)
        if (first?.seq == null) return
        after = Number(first.seq) - 1
      }
      // A page ends early if its bodies would be too large to hold, but has one event at least.
      const text = `
        SELECT e.*, ${counts} FROM (
          SELECT e.*, sum(length(body)) OVER (ORDER BY seq) - length(body) AS before
          FROM ${from} WHERE ${where} AND seq > $${values.length + 1}::bigint
          ORDER BY seq LIMIT ${page.rows}
        ) AS e WHERE before < ${page.bytes} ORDER BY seq`
      while (left > 0) {
        const rows = await query('', text, [...values, after])
        if (rows.length === 0) return
        for (const row of rows.slice(0, left)) yield eventOf(row)
        left -= rows.length
        after = Number(rows.at(-1)?.seq)
      }
    },
    async cursor(name) {
      const [row] = await query('cursor', 'SELECT value FROM dlv.cursors WHERE name = $1', [name])
      return row === undefined ? undefined : String(row.value)
    },
    status: () => read((connection) => readStatus(connection, own)),
    targets: () => read((connection) => readTargets(connection, own)),
    close: () => session.close(),
  }
}

const eventById = `
SELECT e.*, ${counts} FROM dlv.ids i JOIN dlv.events e ON e.received_at = i.received_at AND e.seq = i.seq
WHERE i.id = $1 AND ${ofAccounts('i', '$2')} AND ${ofOne('i', '$3')} ORDER BY i.seq LIMIT 1`

function ofOne(table: string, parameter: string): string {
  return `(${parameter}::text IS NULL OR ${table}.account = ${parameter})`
}

/** Which events, as `e`, and under which conditions. */
function selection(
  filter: JournalFilter,
  own: readonly string[] | null,
): { from: string; where: string; values: unknown[] } {
  const terms = ['true']
  const values: unknown[] = []
  const add = (term: (parameter: string) => string, value: unknown) => {
    values.push(value)
    terms.push(term(`$${values.length}`))
  }
  let from = 'dlv.events AS e'
  if (filter.deliveryId !== undefined) {
    values.push(storable(filter.deliveryId))
    // Apart from the rest, so that the few events of a delivery are found first, however the rest is sorted and limited.
    from = '(SELECT * FROM dlv.events WHERE delivery_id = $1 OFFSET 0) AS e'
  }
  if (own !== null) add((one) => ofAccounts('e', one), own)
  if (filter.account !== undefined) add((one) => `e.account = ${one}`, storable(filter.account))
  const time = (one: string) => `to_timestamp(${one}::bigint / 1000.0)`
  if (filter.sinceMs !== undefined) add((one) => `e.received_at >= ${time(one)}`, filter.sinceMs)
  if (filter.untilMs !== undefined) add((one) => `e.received_at < ${time(one)}`, filter.untilMs)
  if (filter.givenUp) terms.push("e.seq IN (SELECT seq FROM dlv.forwards WHERE state = 'given-up')")
  if (filter.eventTypes !== undefined && filter.eventTypes.length > 0)
    add((one) => `e.event_type LIKE ANY(${one}::text[])`, filter.eventTypes.map(likePattern))
  return { from, where: terms.join(' AND '), values }
}

function forwardOf({ url, state, attempts, status }: Row): ForwardState {
  return {
    url: targetName(String(url)),
    state: state === 'delivered' || state === 'given-up' ? state : 'pending',
    attempts: Number(attempts),
    status: status == null ? null : Number(status),
  }
}

/** An event as a row of `events` has it, with `repeats` and `conflicts` if somebody asked for them. */
export function eventOf(row: Row): JournalEvent {
  const headers = tryParseJson(String(row.raw_headers))?.value
  return {
    seq: Number(row.seq),
    id: String(row.id),
    account: String(row.account),
    source: row.source === 'pull' ? 'pull' : 'webhook',
    receivedAtMs: timeOf(row.received_at),
    timestampSeconds: Number(row.timestamp_seconds),
    secret: String(row.secret),
    rawHeaders: Array.isArray(headers) ? headers.map(String) : [],
    body: bytesOf(row.body),
    eventType: textOf(row.event_type),
    deliveryId: textOf(row.delivery_id),
    occurredAt: textOf(row.occurred_at),
    repeats: Number(row.repeats ?? 0),
    conflicts: Number(row.conflicts ?? 0),
  }
}

/** An event without its time would look like one of 1970. */
function timeOf(value: unknown): number {
  if (value instanceof Date) return value.getTime()
  throw new UsageError(`The journal has an event received at ${JSON.stringify(value)}, which is not a time.`)
}

function bytesOf(value: unknown): Uint8Array {
  return value instanceof Uint8Array
    ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    : new Uint8Array()
}
