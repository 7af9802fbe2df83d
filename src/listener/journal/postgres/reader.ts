import type { Connection, Row } from '../../../postgres/index.js'
import { tryParseJson } from '../../../shared/json.js'
import { shownUrl } from '../../../shared/web-address.js'
import type { JournalEvent } from '../event.js'
import type { ForwardState } from '../forwards.js'
import type { JournalFilter, JournalReader } from '../reader.js'
import { storable } from './lane.js'
import { bodyOf, inPack, itsPack, packEvents, packSpanMs, unpacked } from './pack.js'
import { likePattern } from './schema.js'
import { type KeptSession, readAgain, type Sessions } from './sessions.js'
import { readStatus } from './status.js'
import { readTargets } from './targets.js'

/** Rows of one page of a list, and the bytes of their bodies. */
const page = { rows: 500, bytes: 8 * 1_048_576 }

/** What is kept of an id beside its event. */
const countsOf = (id: string) => `coalesce((SELECT repeats FROM dlv.ids WHERE ids.id = ${id}), 0) AS repeats,
  (SELECT count(*) FROM dlv.conflicts WHERE conflicts.id = ${id}) AS conflicts`

/** The reading half of a journal. */
export function postgresReader(sessions: Sessions, session: KeptSession): JournalReader {
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
    async has(ids) {
      const rows = await query('has', 'SELECT id FROM dlv.ids WHERE id = ANY($1::text[])', [ids.map(storable)])
      return new Set(rows.map(({ id }) => String(id)))
    },
    async get(id) {
      const [row] = await query('get', eventsByIds, [[storable(id)]])
      return row === undefined ? undefined : eventOf(row)
    },
    async count() {
      const [row] = await query('count', 'SELECT count(*) FROM dlv.ids', [])
      return Number(row?.count)
    },
    async forwardsOf(seq) {
      const text = 'SELECT url, state, attempts, status FROM dlv.forwards WHERE seq = $1 ORDER BY url'
      return (await query('forwards', text, [seq])).map(forwardOf)
    },
    async *list(filter = {}) {
      const { from, where, values } = selection(filter)
      let after = 0
      let left = filter.limit ?? Number.POSITIVE_INFINITY
      if (filter.limit !== undefined) {
        const newest = `SELECT seq FROM ${from} WHERE ${where} ORDER BY pack DESC, seq DESC LIMIT ${Math.floor(filter.limit)}`
        const [first] = await query('', `SELECT min(seq) AS seq FROM (${newest}) AS newest`, values)
        if (first?.seq == null) return
        after = Number(first.seq) - 1
      }
      const at = `$${values.length + 1}::bigint`
      // A page ends early if its bodies would be too large to hold, but has one event at least.
      const text = `
        SELECT seq, described AS event, body, ${countsOf('p.id')} FROM (
          SELECT e.*, sum(body_length) OVER (ORDER BY pack, seq) - body_length AS before
          FROM ${from} WHERE ${where} AND pack > ${at} - ${packEvents} AND seq > ${at}
          ORDER BY pack, seq LIMIT ${page.rows}
        ) AS p WHERE before < ${page.bytes} ORDER BY seq`
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
    status: () => read(readStatus),
    targets: () => read(readTargets),
    close: () => session.close(),
  }
}

const eventsByIds = `
SELECT i.seq, ${inPack('i')}::text AS event, ${bodyOf(inPack('i'))} AS body, ${countsOf('i.id')}
FROM dlv.ids i JOIN ${itsPack('i')}
WHERE i.id = ANY($1::text[])`

/** The events of forwards, without the counts that nobody is sent. */
export async function readForwarded(
  connection: Connection,
  forwards: readonly { seq: number; receivedAt: string }[],
): Promise<JournalEvent[]> {
  const values = [forwards.map(({ seq }) => seq), forwards.map(({ receivedAt }) => receivedAt)]
  return (await connection.query({ name: 'events', text: forwarded }, values)).map(eventOf)
}

const forwarded = `
SELECT f.seq, ${inPack('f')}::text AS event, ${bodyOf(inPack('f'))} AS body, 0 AS repeats, 0 AS conflicts
FROM unnest($1::bigint[], $2::timestamptz[]) AS f(seq, received_at) JOIN ${itsPack('f')}`

/** Which events, as `e`, and under which conditions. */
function selection(filter: JournalFilter): { from: string; where: string; values: unknown[] } {
  const terms = ['true']
  const values: unknown[] = []
  const add = (term: (parameter: string) => string, value: unknown) => {
    values.push(value)
    terms.push(term(`$${values.length}`))
  }
  let from = 'dlv.events AS e'
  if (filter.deliveryId !== undefined) {
    add((one) => `e.delivery_id = ${one}`, filter.deliveryId)
    // Apart from the rest, so that the few packs of a delivery are found first, however the rest is sorted and limited.
    const packs = `(SELECT * FROM dlv.packs WHERE deliveries @> ARRAY[$${values.length}::text COLLATE "C"] OFFSET 0)`
    from = `(${unpacked(packs)}) AS e`
  }
  const time = (one: string, offsetMs = 0) => `to_timestamp((${one}::bigint + ${offsetMs}) / 1000.0)`
  if (filter.sinceMs !== undefined)
    add((one) => `e.received_at >= ${time(one)} AND e.packed_at >= ${time(one, -packSpanMs)}`, filter.sinceMs)
  if (filter.untilMs !== undefined)
    add((one) => `e.received_at < ${time(one)} AND e.packed_at < ${time(one, packSpanMs)}`, filter.untilMs)
  if (filter.givenUp) terms.push("e.seq IN (SELECT seq FROM dlv.forwards WHERE state = 'given-up')")
  if (filter.eventTypes !== undefined && filter.eventTypes.length > 0)
    add((one) => `e.event_type LIKE ANY(${one}::text[])`, filter.eventTypes.map(likePattern))
  return { from, where: terms.join(' AND '), values }
}

function forwardOf({ url, state, attempts, status }: Row): ForwardState {
  return {
    url: shownUrl(String(url)),
    state: state === 'delivered' || state === 'given-up' ? state : 'pending',
    attempts: Number(attempts),
    status: status == null ? null : Number(status),
  }
}

function eventOf(row: Row): JournalEvent {
  const found = tryParseJson(String(row.event))?.value
  const [, , id, source, receivedAtMs, timestampSeconds, secret, rawHeaders, eventType, deliveryId, occurredAt] =
    Array.isArray(found) ? (found as unknown[]) : []
  return {
    seq: Number(row.seq),
    id: String(id),
    source: source === 'pull' ? 'pull' : 'webhook',
    receivedAtMs: Number(receivedAtMs),
    timestampSeconds: Number(timestampSeconds),
    secret: String(secret),
    rawHeaders: Array.isArray(rawHeaders) ? rawHeaders.map(String) : [],
    body: bytesOf(row.body),
    eventType: textOf(eventType),
    deliveryId: textOf(deliveryId),
    occurredAt: textOf(occurredAt),
    repeats: Number(row.repeats),
    conflicts: Number(row.conflicts),
  }
}

function bytesOf(value: unknown): Uint8Array {
  return value instanceof Uint8Array
    ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    : new Uint8Array()
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
