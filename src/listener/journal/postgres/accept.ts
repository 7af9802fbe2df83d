import { hash } from 'node:crypto'
import type { DlvError } from '../../../contract/index.js'
import { type Connection, codeOf, isPassing } from '../../../postgres/index.js'
import { sleep } from '../../../shared/sleep.js'
import type { Appended, Committed, JournalEntry } from '../journal.js'
import { isSameBody } from '../same-body.js'
import type { Availability } from './availability.js'
import { shardCount } from './schema.js'
import { keptSession, type Sessions } from './sessions.js'

/** Until when a batch is tried again before its senders are told to come again, and when the last try has to be over. */
const retriedForMs = 7_000
const answeredWithinMs = 9_000
const attemptMs = 3_000
const leastMs = 500
const batchEvents = 500
const batchBytes = 8 * 1_048_576
/** Longer ones are not found by their delivery: an index holds no value of more than a third of a page. */
const indexedCharacters = 500

/** Takes events, many in one statement. */
export interface Accept {
  append(entry: JournalEntry): Promise<Appended>
  /** Resolves once nothing is being written. */
  idle(): Promise<void>
  close(): Promise<void>
}

interface Waiting {
  entry: JournalEntry
  lane: string
  shard: number
  resolve(appended: Appended): void
  reject(error: unknown): void
}

/** The lane of an event: its delivery, or the event itself if it has none. */
export function laneOf({ id, deliveryId }: Pick<JournalEntry, 'id' | 'deliveryId'>): string {
  const lane = storable(deliveryId ?? id)
  return lane.length <= indexedCharacters ? lane : `sha256:${hash('sha256', lane)}`
}

export function shardOf(lane: string): number {
  return Number.parseInt(hash('sha256', lane).slice(0, 2), 16) % shardCount
}

/** PostgreSQL stores every character but this one. */
function storable<Text extends string | undefined>(text: Text): Text {
  return text?.replaceAll('\0', '\u{fffd}') as Text
}

export function openAccept(
  sessions: Sessions,
  state: Availability,
  onCommitted: (committed: Committed, hasForwards: boolean) => void,
): Accept {
  const session = keptSession(sessions, 'receiver', { settings: { plan_cache_mode: 'force_generic_plan' } })
  let queue: Waiting[] = []
  let running: Promise<void> | undefined
  /** Why nothing is taken until a write has succeeded again. */
  let refusal: DlvError | undefined

  async function run() {
    while (queue.length > 0) {
      const batch = nextBatch()
      await commit(batch)
    }
    running = undefined
  }

  /** The oldest that fit, each id once: a repetition in the same statement would not see the first. */
  function nextBatch(): Waiting[] {
    const ids = new Set<string>()
    const batch: Waiting[] = []
    const rest: Waiting[] = []
    let bytes = 0
    for (const waiting of queue) {
      const { id, body } = waiting.entry
      const fits = batch.length < batchEvents && (bytes + body.length <= batchBytes || batch.length === 0)
      if (!fits || ids.has(id)) {
        rest.push(waiting)
        continue
      }
      ids.add(id)
      bytes += body.length
      batch.push(waiting)
    }
    queue = rest
    return batch
  }

  async function commit(batch: readonly Waiting[]): Promise<void> {
    const startedAt = performance.now()
    const elapsed = () => performance.now() - startedAt
    for (let attempt = 0; ; attempt++) {
      try {
        const remainingMs = () => Math.min(attemptMs, Math.max(leastMs, answeredWithinMs - elapsed()))
        const { appended, forwards } = await session.use((connection) =>
          store(connection, batch, attempt > 0, remainingMs),
        )
        state.succeeded()
        onCommitted({ seconds: elapsed() / 1000, events: batch.length }, forwards > 0)
        for (const [at, waiting] of batch.entries()) waiting.resolve(appended[at] as Appended)
        return
      } catch (error) {
        if (isOfData(error)) return isolate(batch, error)
        const isOver = elapsed() >= retriedForMs || !isPassing(error) || codeOf(error)?.startsWith('53') === true
        if (isOver) return giveUp(batch, error)
        await sleep(Math.min(50 * 2 ** attempt, 400))
      }
    }
  }

  /** Senders of a batch that failed, and of all that wait behind it, are told to come again. */
  function giveUp(batch: readonly Waiting[], error: unknown) {
    state.failed(error)
    const known = sessions.errorOf(error)
    refusal = known
    void state.whenUp().then(() => {
      if (state.isUp()) refusal = undefined
    })
    for (const { reject } of [...batch, ...queue.splice(0)]) reject(known)
  }

  /** One event that the database cannot store must not keep the others out. */
  async function isolate(batch: readonly Waiting[], error: unknown): Promise<void> {
    const [only] = batch
    if (batch.length === 1) only?.reject(sessions.errorOf(error))
    else for (const waiting of batch) await commit([waiting])
  }

  return {
    append(entry) {
      const failure = state.failure()
      if (failure?.kind === 'fatal') return Promise.reject(failure.error)
      if (refusal !== undefined) return Promise.reject(refusal)
      return new Promise((resolve, reject) => {
        const lane = laneOf(entry)
        queue.push({ entry, lane, shard: shardOf(lane), resolve, reject })
        // What arrives in the same turn is written together.
        running ??= new Promise<void>((started) => setImmediate(started)).then(run)
      })
    },
    async idle() {
      while (running !== undefined) await running
    },
    close: () => session.close(),
  }
}

/** Class 22: the value cannot be stored; 54: it is too large. */
function isOfData(error: unknown): boolean {
  return /^(?:22|54)/.test(codeOf(error) ?? '')
}

const insert = `
WITH input AS MATERIALIZED (
  SELECT i.*, to_timestamp(i.received_ms / 1000.0) AS received_at, nextval('dlv.seq') AS seq
  FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::int[], $8::int[],
    $9::text[], $10::text[], $11::text[], $12::text[], $13::smallint[])
    AS i(id, received_ms, source, timestamp_seconds, secret, raw_headers, body_from, body_length, event_type,
      delivery_id, occurred_at, lane, shard)
), fresh AS (
  INSERT INTO dlv.ids (id, seq, received_at) SELECT id, seq, received_at FROM input ORDER BY id
  ON CONFLICT (id) DO NOTHING RETURNING id
), kept AS (
  INSERT INTO dlv.events (seq, id, source, received_at, timestamp_seconds, secret, raw_headers, body, event_type,
    delivery_id, occurred_at)
  SELECT seq, id, source, received_at, timestamp_seconds, secret, raw_headers,
    substring($14::bytea FROM body_from FOR body_length), event_type, delivery_id, occurred_at
  FROM input WHERE id IN (SELECT id FROM fresh)
), forwarded AS (
  INSERT INTO dlv.forwards (url, seq, lane, shard, id, received_at)
  SELECT DISTINCT t.url, i.seq, i.lane, i.shard, i.id, i.received_at
  FROM input i JOIN dlv.targets t ON coalesce(i.event_type, '') LIKE t.pattern
  WHERE i.id IN (SELECT id FROM fresh) AND t.named_at > now() - interval '7 days'
  RETURNING 1
)
SELECT input.id, input.seq, (SELECT count(*) FROM forwarded) AS forwards
FROM input WHERE id IN (SELECT id FROM fresh)`

/** Stores a batch: what is new with one statement, what was known already with two more. */
async function store(
  connection: Connection,
  batch: readonly Waiting[],
  isAgain: boolean,
  remainingMs: () => number,
): Promise<{ appended: Appended[]; forwards: number }> {
  const entries = batch.map(({ entry }) => entry)
  const lengths = entries.map(({ body }) => body.length)
  let from = 1
  const starts = lengths.map((length) => {
    const start = from
    from += length
    return start
  })
  const values = [
    entries.map(({ id }) => id),
    entries.map(({ receivedAtMs }) => receivedAtMs),
    entries.map(({ source }) => source),
    entries.map(({ timestampSeconds }) => timestampSeconds),
    entries.map(({ secret }) => storable(secret)),
    entries.map(({ rawHeaders }) => JSON.stringify(rawHeaders)),
    starts,
    lengths,
    entries.map(({ eventType }) => storable(eventType)),
    entries.map(({ deliveryId }) =>
      deliveryId !== undefined && deliveryId.length <= indexedCharacters ? storable(deliveryId) : undefined,
    ),
    entries.map(({ occurredAt }) => storable(occurredAt)),
    batch.map(({ lane }) => lane),
    batch.map(({ shard }) => shard),
    Buffer.concat(entries.map(({ body }) => body)),
  ]
  const rows = await connection.query({ name: 'accept', text: insert }, values, {
    isDurable: true,
    timeoutMs: remainingMs(),
  })
  const fresh = new Map(rows.map(({ id, seq }) => [String(id), Number(seq)]))
  const known = entries.filter(({ id }) => !fresh.has(id))
  const repeated =
    known.length === 0 ? new Map<string, Appended>() : await repeat(connection, known, isAgain, remainingMs)
  return {
    appended: entries.map(({ id }) => {
      const seq = fresh.get(id)
      return seq === undefined ? (repeated.get(id) as Appended) : { outcome: 'new', seq }
    }),
    forwards: Number(rows[0]?.forwards ?? 0),
  }
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
