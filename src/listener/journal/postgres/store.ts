import { bigintArray, byteaArray, type Connection, type Row, textArray, timeArray } from '../../../postgres/index.js'
import { type Appended, isSameBody, type JournalEntry } from '../event.js'
import { isNamed, shardCount, storable } from './schema.js'

/** How events are stored. */
interface StoreOptions {
  /** Whether an earlier try may have been committed: then its own events are new. */
  isAgain: boolean
  remainingMs(): number
}

/**
 * Numbers are drawn before anything is sorted, so that they follow arrival; ids are inserted in one order everywhere, so
 * that two processes never wait for each other. Arrays are laid out in a list of columns: as a table of FROM, PostgreSQL keeps
 * a copy of each. Returns the numbers that were drawn, in the order of the events, and those
 * of the events that are new.
 */
const insertNew = `
WITH input AS MATERIALIZED (
  SELECT nextval('dlv.event_seq') AS seq, i.* FROM (
    SELECT unnest($1::text[]) AS id, unnest($2::text[]) AS source, unnest($3::timestamptz[]) AS received_at,
      unnest($4::bigint[]) AS timestamp_seconds, unnest($5::text[]) AS secret, unnest($6::text[]) AS raw_headers,
      unnest($7::text[]) AS event_type, unnest($8::text[]) AS delivery_id, unnest($9::text[]) AS occurred_at,
      unnest($10::bytea[]) AS body, unnest($11::text[]) AS account) AS i
), fresh AS (
  INSERT INTO dlv.ids (id, account, seq, received_at) SELECT id, account, seq, received_at FROM input ORDER BY id, account
  ON CONFLICT (id, account) DO NOTHING RETURNING seq
), stored AS (
  INSERT INTO dlv.events (seq, id, account, source, received_at, timestamp_seconds, secret, raw_headers, event_type,
    delivery_id, occurred_at, body)
  SELECT seq, id, account, source, received_at, timestamp_seconds, secret, raw_headers, event_type, delivery_id,
    occurred_at, body
  FROM input WHERE seq IN (SELECT seq FROM fresh)
), forwarded AS (
  INSERT INTO dlv.forwards (url, seq, lane, shard, id, received_at)
  SELECT url, seq, lane, number * ${shardCount} + get_byte(sha256(convert_to(lane, 'UTF8')), 0) % ${shardCount}, id, received_at
  FROM (
    SELECT DISTINCT t.url, e.seq, coalesce(e.delivery_id, e.id) AS lane, e.id, e.received_at, a.number
    FROM input e JOIN dlv.targets t ON t.account = e.account AND coalesce(e.event_type, '') LIKE t.pattern
      JOIN dlv.accounts_forwarded a ON a.account = t.account
    WHERE t.${isNamed} AND e.seq IN (SELECT seq FROM fresh)
  ) AS wanted
  RETURNING 1
)
SELECT (SELECT array_agg(seq ORDER BY seq) FROM input)::text AS drawn,
  (SELECT array_agg(seq ORDER BY seq) FROM fresh)::text AS fresh, (SELECT count(*) FROM forwarded) AS forwards`

/** Tells events apart: the same id from two accounts is two events. */
export function eventKey({ id, account = '' }: Pick<JournalEntry, 'id' | 'account'>): string {
  return JSON.stringify([id, storable(account)])
}

/**
 * Stores different events: those that are new, and then that the others came again.
 *
 * @returns an outcome for each event, and how many forwards wait for them now
 */
export async function store(
  connection: Connection,
  { entries, columns }: Batch,
  { isAgain, remainingMs }: StoreOptions,
): Promise<{ appended: Appended[]; forwards: number }> {
  const [result] = await connection.query({ name: 'accept', text: insertNew }, columns, {
    isDurable: true,
    timeoutMs: remainingMs(),
  })
  const [drawn, fresh] = [numbersOf(result?.drawn), new Set(numbersOf(result?.fresh))]
  const appended = drawn.map((seq): Appended => ({ outcome: 'new', seq }))
  const known = drawn.flatMap((seq, at) => (fresh.has(seq) ? [] : [at]))
  if (known.length > 0) {
    const again = known.map((at) => entries[at] as JournalEntry)
    for (const [place, outcome] of (await repeat(connection, again, { isAgain, remainingMs })).entries())
      appended[known[place] as number] = outcome
  }
  return { appended, forwards: Number(result?.forwards ?? 0) }
}

/** The numbers of a `bigint[]` as PostgreSQL prints it. */
function numbersOf(text: unknown): number[] {
  return typeof text === 'string' && text !== '{}' ? text.slice(1, -1).split(',').map(Number) : []
}

/** Events that are stored together, with the parameters of `insertNew`. */
export interface Batch {
  entries: readonly JournalEntry[]
  columns: readonly unknown[]
}

export function batchOf(entries: readonly JournalEntry[]): Batch {
  const columns = [
    textArray(entries.map(({ id }) => id)),
    textArray(entries.map(({ source }) => source)),
    timeArray(entries.map(({ receivedAtMs }) => receivedAtMs)),
    bigintArray(entries.map(({ timestampSeconds }) => timestampSeconds)),
    textArray(entries.map(({ secret }) => storable(secret))),
    textArray(entries.map(({ rawHeaders }) => JSON.stringify(rawHeaders))),
    textArray(entries.map(({ eventType }) => storable(eventType))),
    textArray(entries.map(({ deliveryId }) => storable(deliveryId))),
    textArray(entries.map(({ occurredAt }) => storable(occurredAt))),
    byteaArray(entries.map(({ body }) => body)),
    textArray(entries.map(accountOf)),
  ]
  return { entries, columns }
}

function accountOf({ account = '' }: JournalEntry): string {
  return storable(account)
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString()
}

const firstCopies = `
SELECT i.id, i.account, i.seq, e.received_at, e.source, e.body
FROM dlv.ids i LEFT JOIN dlv.events e ON e.received_at = i.received_at AND e.seq = i.seq
WHERE (i.id, i.account) IN (SELECT * FROM unnest($1::text[], $2::text[]))`

const recordRepeats = `
WITH known AS (
  SELECT id, account FROM dlv.ids WHERE (id, account) IN (SELECT * FROM unnest($1::text[], $7::text[]))
  ORDER BY id, account FOR UPDATE
), repeated AS (
  UPDATE dlv.ids SET repeats = ids.repeats + i.again
  FROM unnest($1::text[], $7::text[], $2::int[]) AS i(id, account, again) JOIN known USING (id, account)
  WHERE ids.id = i.id AND ids.account = i.account
)
INSERT INTO dlv.conflicts (id, account, received_at, raw_headers, body)
SELECT c.* FROM unnest($3::text[], $8::text[], $4::timestamptz[], $5::text[], $6::bytea[])
  AS c(id, account, received_at, raw_headers, body)
WHERE NOT EXISTS (SELECT 1 FROM dlv.conflicts o WHERE o.id = c.id AND o.account = c.account AND o.body = c.body)`

/**
 * Records that known events came again. Even one that changes nothing is written: without a commit of its own it would be
 * acknowledged before the first copy has reached the standby.
 */
async function repeat(
  connection: Connection,
  entries: readonly JournalEntry[],
  { isAgain, remainingMs }: StoreOptions,
): Promise<Appended[]> {
  const rows = await connection.query(
    { name: 'first', text: firstCopies },
    [entries.map(({ id }) => id), entries.map(accountOf)],
    {
      timeoutMs: remainingMs(),
    },
  )
  const firsts = new Map(rows.map((row) => [eventKey({ id: String(row.id), account: String(row.account) }), row]))
  const repeated = entries.map((entry) => {
    const first = firsts.get(eventKey(entry))
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
      entries.map(accountOf),
      conflicts.map(accountOf),
    ],
    { isDurable: true, timeoutMs: remainingMs() },
  )
  return repeated.map(({ outcome, seq }) => ({ outcome, seq }))
}

/** The outcome of an event whose id is known, by the first copy of it. */
function outcomeOf(entry: JournalEntry, first: Row | undefined, isAgain: boolean): Appended['outcome'] {
  const isPulled = entry.source === 'pull' || first?.source === 'pull'
  const isSame = !(first?.body instanceof Uint8Array) || isSameBody(first.body, entry.body, isPulled)
  if (!isSame) return 'conflict'
  const isOwn = isAgain && first?.received_at instanceof Date && first.received_at.getTime() === entry.receivedAtMs
  return isOwn ? 'new' : 'duplicate'
}
