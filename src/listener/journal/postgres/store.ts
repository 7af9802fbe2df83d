import type { Connection } from '../../../postgres/index.js'
import type { Appended, JournalEntry } from '../event.js'
import { isSameBody } from '../same-body.js'
import { type Batch, openBatch } from './batch.js'
import { batchNumbers, bodyOf, inPack, itsPack } from './pack.js'
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
 * Into `ids`, `packs` and `forwards`, or nothing at all if it is looked and an id is known. The numbers are drawn before
 * anything is sorted, so that they follow arrival; ids are inserted in one order everywhere, so that two processes never
 * wait for each other.
 */
const insert = (known: string) => `
WITH known AS MATERIALIZED (
  ${known}
), numbered AS MATERIALIZED (
  SELECT nextval('dlv.batch') * ${batchNumbers} AS first WHERE NOT EXISTS (SELECT FROM known)
), stored AS (
  INSERT INTO dlv.ids (id, seq, received_at)
  SELECT id, first + number, packed_at
  FROM numbered CROSS JOIN unnest($1::text[], $2::int[], $3::timestamptz[]) AS i(id, number, packed_at) ORDER BY id
), packed AS (
  INSERT INTO dlv.packs (seq, received_at, deliveries, events, bodies)
  SELECT first + number, received_at, deliveries::text[], events, substring($12::bytea FROM body_from FOR body_length)
  FROM numbered CROSS JOIN unnest($6::int[], $7::timestamptz[], $8::text[], $9::text[], $10::int[], $11::int[])
    AS p(number, received_at, deliveries, events, body_from, body_length)
), forwarded AS (
  INSERT INTO dlv.forwards (url, seq, lane, shard, id, received_at)
  SELECT url, seq, lane, get_byte(sha256(convert_to(lane, 'UTF8')), 0) % ${shardCount}, id, packed_at
  FROM (
    SELECT DISTINCT t.url, first + e.number AS seq, e.lane, e.id, e.packed_at
    FROM numbered CROSS JOIN unnest($1::text[], $2::int[], $3::timestamptz[], $4::text[], $5::text[])
      AS e(id, number, packed_at, event_type, lane)
    JOIN dlv.targets t ON coalesce(e.event_type, '') LIKE t.pattern
    WHERE t.${isNamed}
  ) AS wanted
  RETURNING 1
)
SELECT (SELECT first FROM numbered) AS first, (SELECT array_agg(id) FROM known) AS known,
  (SELECT count(*) FROM forwarded) AS forwards`

const unchecked = { name: 'accept', text: insert('SELECT NULL::text AS id WHERE false') }
const checked = {
  name: 'accept checked',
  text: insert('SELECT id FROM dlv.ids WHERE id = ANY($1::text[])'),
}

/** Stores a batch: with one statement if all of it is new, else what is new, and then that the others came again. */
export async function store(
  connection: Connection,
  batch: Batch,
  options: StoreOptions,
): Promise<{ appended: Appended[]; forwards: number; hasKnown: boolean }> {
  const { isChecked, isAgain, remainingMs } = options
  const [row] = await connection.query(isChecked ? checked : unchecked, batch.values(), {
    isDurable: true,
    timeoutMs: remainingMs(),
  })
  const { waiting } = batch
  if (!Array.isArray(row?.known)) {
    const first = Number(row?.first)
    const appended = batch.numbers.map((number): Appended => ({ outcome: 'new', seq: first + number }))
    return { appended, forwards: Number(row?.forwards), hasKnown: false }
  }
  const known = new Set(row.known.map(String))
  const rest = openBatch()
  for (const one of waiting) if (!known.has(one.entry.id)) rest.take(one)
  const added = rest.waiting.length === 0 ? undefined : await store(connection, rest, { ...options, isChecked: false })
  const outcomes = await repeat(
    connection,
    waiting.map(({ entry }) => entry).filter(({ id }) => known.has(id)),
    isAgain,
    remainingMs,
  )
  for (const [at, { entry }] of rest.waiting.entries()) outcomes.set(entry.id, added?.appended[at] as Appended)
  const appended = waiting.map(({ entry }) => outcomes.get(entry.id) as Appended)
  return { appended, forwards: added?.forwards ?? 0, hasKnown: true }
}

const firstCopies = `
SELECT i.id, i.seq, ${inPack('i')} ->> 4 AS received_ms, ${inPack('i')} ->> 3 AS source, ${bodyOf(inPack('i'))} AS body
FROM dlv.ids i LEFT JOIN ${itsPack('i')}
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
