import type { Connection } from '../../../postgres/index.js'
import type { Appended, JournalEntry } from '../event.js'
import { isSameBody } from '../same-body.js'
import type { Batch } from './batch.js'
import { isNamed, shardCount } from './schema.js'

/** What is in the way of a statement that took an id for new which is known. */
export const idIsKnown = '23505'

/** How a batch is stored. */
export interface StoreOptions {
  /** Whether it is looked first which ids are known: without it a known one fails the statement. */
  isChecked: boolean
  /** Whether an earlier try may have been committed: then its own events are new. */
  isAgain: boolean
  remainingMs(): number
}

/**
 * What is new goes into `ids`, `events` and `forwards`. The numbers are drawn before anything is sorted or left out, so
 * that they follow arrival; ids are inserted in one order everywhere, so that two processes never wait for each other.
 */
const insert = (condition: string) => `
WITH fresh AS MATERIALIZED (
  SELECT * FROM (
    SELECT i.*, nextval('dlv.seq') AS seq
    FROM unnest($1::text[], $2::timestamptz[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::int[], $8::int[],
      $9::text[], $10::text[], $11::text[], $12::text[])
      WITH ORDINALITY AS i(id, received_at, source, timestamp_seconds, secret, raw_headers, body_from, body_length,
        event_type, delivery_id, occurred_at, long_lane, place)
  ) AS input
  ${condition}
), stored AS (
  INSERT INTO dlv.ids (id, seq, received_at) SELECT id, seq, received_at FROM fresh ORDER BY id
), kept AS (
  INSERT INTO dlv.events (seq, id, source, received_at, timestamp_seconds, secret, raw_headers, body, event_type,
    delivery_id, occurred_at)
  SELECT seq, id, source, received_at, timestamp_seconds, secret, raw_headers,
    substring($13::bytea FROM body_from FOR body_length), event_type, delivery_id, occurred_at
  FROM fresh
), forwarded AS (
  INSERT INTO dlv.forwards (url, seq, lane, shard, id, received_at)
  SELECT url, seq, lane, get_byte(sha256(convert_to(lane, 'UTF8')), 0) % ${shardCount}, id, received_at
  FROM (
    SELECT DISTINCT t.url, f.seq, coalesce(f.long_lane, f.delivery_id, f.id) AS lane, f.id, f.received_at
    FROM fresh f JOIN dlv.targets t ON coalesce(f.event_type, '') LIKE t.pattern
    WHERE t.${isNamed}
  ) AS wanted
  RETURNING 1
)
SELECT array_agg(place)::text AS places, array_agg(seq)::text AS seqs, (SELECT count(*) FROM forwarded) AS forwards
FROM fresh`

const unchecked = { name: 'accept', text: insert('') }
const checked = {
  name: 'accept checked',
  text: insert('WHERE NOT EXISTS (SELECT FROM dlv.ids known WHERE known.id = input.id)'),
}

/** Stores a batch: what is new with one statement, what was known already with two more. */
export async function store(
  connection: Connection,
  batch: Batch,
  { isChecked, isAgain, remainingMs }: StoreOptions,
): Promise<{ appended: Appended[]; forwards: number; hasKnown: boolean }> {
  const [row] = await connection.query(isChecked ? checked : unchecked, batch.values(), {
    isDurable: true,
    timeoutMs: remainingMs(),
  })
  const appended: Appended[] = []
  const seqs = numbersOf(row?.seqs)
  for (const [at, place] of numbersOf(row?.places).entries())
    appended[place - 1] = { outcome: 'new', seq: seqs[at] as number }
  const entries = batch.waiting.map(({ entry }) => entry)
  const hasKnown = seqs.length < entries.length
  if (hasKnown) {
    const known = entries.filter((_, at) => appended[at] === undefined)
    const repeated = await repeat(connection, known, isAgain, remainingMs)
    for (const [at, { id }] of entries.entries()) appended[at] ??= repeated.get(id) as Appended
  }
  return { appended, forwards: Number(row?.forwards ?? 0), hasKnown }
}

/** `{1,2}`, as PostgreSQL writes an array of numbers. */
function numbersOf(array: unknown): number[] {
  return typeof array === 'string' ? JSON.parse(`[${array.slice(1, -1)}]`) : []
}

const firstCopies = `
SELECT i.id, i.seq, round(extract(epoch FROM i.received_at) * 1000) AS received_ms, e.source, e.body
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
SELECT c.id, to_timestamp(c.received_ms / 1000.0), c.raw_headers, substring($7::bytea FROM c.body_from FOR c.body_length)
FROM unnest($3::text[], $4::bigint[], $5::text[], $6::int[], $8::int[])
  AS c(id, received_ms, raw_headers, body_from, body_length)
WHERE NOT EXISTS (
  SELECT 1 FROM dlv.conflicts o
  WHERE o.id = c.id AND o.body = substring($7::bytea FROM c.body_from FOR c.body_length))`

/**
 * Records that known events came again. Even one that changes nothing is written: without a commit of its own it would be
 * acknowledged before the first copy has reached the standby.
 *
 * @param isAgain whether an earlier try of this batch may have been committed: then its own events are new
 */
async function repeat(
  connection: Connection,
  entries: readonly JournalEntry[],
  isAgain: boolean,
  remainingMs: () => number,
): Promise<Map<string, Appended>> {
  const rows = await connection.query({ name: 'first', text: firstCopies }, [entries.map(({ id }) => id)], {
    timeoutMs: remainingMs(),
  })
  const firsts = new Map(rows.map((row) => [String(row.id), row]))
  const outcomes = entries.map((entry) => {
    const first = firsts.get(entry.id)
    const isPulled = entry.source === 'pull' || first?.source === 'pull'
    const isSame = !(first?.body instanceof Uint8Array) || isSameBody(first.body, entry.body, isPulled)
    const isOwn = isAgain && isSame && Number(first?.received_ms) === entry.receivedAtMs
    const outcome: Appended['outcome'] = isOwn ? 'new' : isSame ? 'duplicate' : 'conflict'
    return { entry, outcome, seq: Number(first?.seq ?? 0) }
  })
  const conflicts = outcomes.filter(({ outcome }) => outcome === 'conflict').map(({ entry }) => entry)
  let from = 1
  const starts = conflicts.map(({ body }) => {
    const start = from
    from += body.length
    return start
  })
  await connection.query(
    { name: 'repeat', text: recordRepeats },
    [
      entries.map(({ id }) => id),
      outcomes.map(({ outcome }) => (outcome === 'duplicate' ? 1 : 0)),
      conflicts.map(({ id }) => id),
      conflicts.map(({ receivedAtMs }) => receivedAtMs),
      conflicts.map(({ rawHeaders }) => JSON.stringify(rawHeaders)),
      starts,
      Buffer.concat(conflicts.map(({ body }) => body)),
      conflicts.map(({ body }) => body.length),
    ],
    { isDurable: true, timeoutMs: remainingMs() },
  )
  return new Map(outcomes.map(({ entry, outcome, seq }) => [entry.id, { outcome, seq }]))
}
