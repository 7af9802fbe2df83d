import type { Connection, Row } from '../../../postgres/index.js'
import type { Appended, JournalEntry } from '../event.js'
import { isSameBody } from '../same-body.js'
import { isNamed, shardCount, storable } from './schema.js'

/** How events are stored. */
interface StoreOptions {
  /** Whether an earlier try may have been committed: then its own events are new. */
  isAgain: boolean
  remainingMs(): number
}

/**
 * Numbers are drawn before anything is sorted, so that they follow arrival; ids are inserted in one order everywhere, so
 * that two processes never wait for each other. Returns the events that are new.
 */
const insertNew = `
WITH input AS MATERIALIZED (
  SELECT nextval('dlv.event_seq') AS seq, i.* FROM unnest($1::text[], $2::text[], $3::timestamptz[], $4::bigint[],
    $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::bytea[]) AS i(id, source, received_at,
    timestamp_seconds, secret, raw_headers, event_type, delivery_id, occurred_at, body)
), fresh AS (
  INSERT INTO dlv.ids (id, seq, received_at) SELECT id, seq, received_at FROM input ORDER BY id
  ON CONFLICT (id) DO NOTHING RETURNING id, seq
), stored AS (
  INSERT INTO dlv.events (seq, id, source, received_at, timestamp_seconds, secret, raw_headers, event_type, delivery_id,
    occurred_at, body)
  SELECT seq, id, source, received_at, timestamp_seconds, secret, raw_headers, event_type, delivery_id, occurred_at, body
  FROM input WHERE seq IN (SELECT seq FROM fresh)
), forwarded AS (
  INSERT INTO dlv.forwards (url, seq, lane, shard, id, received_at)
  SELECT url, seq, lane, get_byte(sha256(convert_to(lane, 'UTF8')), 0) % ${shardCount}, id, received_at
  FROM (
    SELECT DISTINCT t.url, e.seq, coalesce(e.delivery_id, e.id) AS lane, e.id, e.received_at
    FROM input e JOIN dlv.targets t ON coalesce(e.event_type, '') LIKE t.pattern
    WHERE t.${isNamed} AND e.seq IN (SELECT seq FROM fresh)
  ) AS wanted
  RETURNING 1
)
SELECT id, seq, (SELECT count(*) FROM forwarded) AS forwards FROM fresh`

/**
 * Stores events with different ids: those that are new, and then that the others came again.
 *
 * @returns an outcome for each event, and how many forwards wait for them now
 */
export async function store(
  connection: Connection,
  entries: readonly JournalEntry[],
  { isAgain, remainingMs }: StoreOptions,
): Promise<{ appended: Appended[]; forwards: number }> {
  const rows = await connection.query({ name: 'accept', text: insertNew }, columnsOf(entries), {
    isDurable: true,
    timeoutMs: remainingMs(),
  })
  const outcomes = new Map(
    rows.map(({ id, seq }): [string, Appended] => [String(id), { outcome: 'new', seq: Number(seq) }]),
  )
  const known = entries.filter(({ id }) => !outcomes.has(id))
  if (known.length > 0)
    for (const [id, outcome] of await repeat(connection, known, { isAgain, remainingMs })) outcomes.set(id, outcome)
  return {
    appended: entries.map(({ id }) => outcomes.get(id) as Appended),
    forwards: Number(rows[0]?.forwards ?? 0),
  }
}

/** The parameters of `insertNew`. */
function columnsOf(entries: readonly JournalEntry[]): unknown[] {
  return [
    entries.map(({ id }) => id),
    entries.map(({ source }) => source),
    entries.map(({ receivedAtMs }) => timeOf(receivedAtMs)),
    entries.map(({ timestampSeconds }) => timestampSeconds),
    entries.map(({ secret }) => storable(secret)),
    entries.map(({ rawHeaders }) => JSON.stringify(rawHeaders)),
    entries.map(({ eventType }) => storable(eventType)),
    entries.map(({ deliveryId }) => storable(deliveryId)),
    entries.map(({ occurredAt }) => storable(occurredAt)),
    byteaArray(entries.map(({ body }) => body)),
  ]
}

/** A `bytea[]` in PostgreSQL's binary format: as text, bodies are written in hexadecimal and parsed by the character. */
function byteaArray(values: readonly Uint8Array[]): Buffer {
  // Dimensions, whether there are nulls, the element's type, the number of elements, the first subscript.
  const parts: Uint8Array[] = [1, 0, 17, values.length, 1].map(int32)
  for (const value of values) parts.push(int32(value.length), value)
  return Buffer.concat(parts)
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString()
}

const firstCopies = `
SELECT i.id, i.seq, e.received_at, e.source, e.body
FROM dlv.ids i LEFT JOIN dlv.events e ON e.received_at = i.received_at AND e.seq = i.seq
WHERE i.id = ANY($1::text[])`

const recordRepeats = `
WITH known AS (
  SELECT id FROM dlv.ids WHERE id = ANY($1::text[]) ORDER BY id FOR UPDATE
), repeated AS (
  UPDATE dlv.ids SET repeats = ids.repeats + i.again
  FROM unnest($1::text[], $2::int[]) AS i(id, again) JOIN known USING (id) WHERE ids.id = i.id
)
INSERT INTO dlv.conflicts (id, received_at, raw_headers, body)
SELECT c.* FROM unnest($3::text[], $4::timestamptz[], $5::text[], $6::bytea[]) AS c(id, received_at, raw_headers, body)
WHERE NOT EXISTS (SELECT 1 FROM dlv.conflicts o WHERE o.id = c.id AND o.body = c.body)`

/**
 * Records that known events came again. Even one that changes nothing is written: without a commit of its own it would be
 * acknowledged before the first copy has reached the standby.
 */
async function repeat(
  connection: Connection,
  entries: readonly JournalEntry[],
  { isAgain, remainingMs }: StoreOptions,
): Promise<[id: string, Appended][]> {
  const rows = await connection.query({ name: 'first', text: firstCopies }, [entries.map(({ id }) => id)], {
    timeoutMs: remainingMs(),
  })
  const firsts = new Map(rows.map((row) => [String(row.id), row]))
  const repeated = entries.map((entry) => {
    const first = firsts.get(entry.id)
    return { entry, outcome: outcomeOf(entry, first, isAgain), seq: Number(first?.seq ?? 0) }
  })
  const conflicts = repeated.filter(({ outcome }) => outcome === 'conflict').map(({ entry }) => entry)
  await connection.query(
    { name: 'repeat', text: recordRepeats },
    [
      entries.map(({ id }) => id),
      repeated.map(({ outcome }) => (outcome === 'duplicate' ? 1 : 0)),
      conflicts.map(({ id }) => id),
      conflicts.map(({ receivedAtMs }) => timeOf(receivedAtMs)),
      conflicts.map(({ rawHeaders }) => JSON.stringify(rawHeaders)),
      conflicts.map(({ body }) => body),
    ],
    { isDurable: true, timeoutMs: remainingMs() },
  )
  return repeated.map(({ entry, outcome, seq }) => [entry.id, { outcome, seq }])
}

/** The outcome of an event whose id is known, by the first copy of it. */
function outcomeOf(entry: JournalEntry, first: Row | undefined, isAgain: boolean): Appended['outcome'] {
  const isPulled = entry.source === 'pull' || first?.source === 'pull'
  const isSame = !(first?.body instanceof Uint8Array) || isSameBody(first.body, entry.body, isPulled)
  if (!isSame) return 'conflict'
  const isOwn = isAgain && first?.received_at instanceof Date && first.received_at.getTime() === entry.receivedAtMs
  return isOwn ? 'new' : 'duplicate'
}
