import { type Connection, inTransaction, type Migrations } from '../../../postgres/index.js'
import { dayMs } from '../../../shared/durations.js'

/** Into how many parts the deliveries of an account are divided among the processes that forward. */
export const shardCount = 64

/** Advisory locks of two numbers: one of these, and a shard, a forwarder, an account's number or the hash of a name. */
export const lockClasses = {
  shards: 0x646c7653,
  forwarders: 0x646c7657,
  members: 0x646c764d,
  leaders: 0x646c764c,
} as const

/** Forwarders are woken by a notification on this channel. */
export const channel = 'dlv_events'

/**
 * `ids` holds each id of an account once and decides what is new; it is apart because a unique key of a partitioned table must hold the
 * column of its partitions. `events` has one row for each event; its body is the raw bytes that were verified. `events`
 * and `forwards` have a partition for each day, so that old days are dropped and not deleted, and one for everything else;
 * `received_at` is the same in both and in `ids`. The index by delivery is a hash because a B-tree takes no value of more
 * than a third of a page. `targets` are the URLs that forwarders have named: every event is to be forwarded to those whose
 * pattern its type matches. The epoch of a shard grows with each new owner, so that its last one can no longer record
 * anything. `accounts_forwarded` numbers the accounts that are forwarded for: each has shards of its own, from its number
 * times the count of shards on.
 */
const schema = `
CREATE SEQUENCE dlv.event_seq;
CREATE TABLE dlv.ids (
  id text COLLATE "C" NOT NULL,
  account text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  received_at timestamptz NOT NULL,
  repeats int NOT NULL DEFAULT 0,
  PRIMARY KEY (id, account)
);
CREATE INDEX ids_by_time ON dlv.ids USING brin (received_at);
CREATE TABLE dlv.events (
  seq bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  account text COLLATE "C" NOT NULL,
  source text NOT NULL,
  received_at timestamptz NOT NULL,
  timestamp_seconds bigint NOT NULL,
  secret text NOT NULL,
  raw_headers text NOT NULL,
  event_type text,
  delivery_id text COLLATE "C",
  occurred_at text,
  body bytea NOT NULL
) PARTITION BY RANGE (received_at);
CREATE INDEX events_by_seq ON dlv.events (seq);
CREATE INDEX events_by_delivery ON dlv.events USING hash (delivery_id);
CREATE INDEX events_by_time ON dlv.events USING brin (received_at);
CREATE TABLE dlv.events_default PARTITION OF dlv.events DEFAULT;
CREATE TABLE dlv.forwards (
  url text NOT NULL,
  seq bigint NOT NULL,
  lane text COLLATE "C" NOT NULL,
  shard int NOT NULL,
  id text COLLATE "C" NOT NULL,
  received_at timestamptz NOT NULL,
  state text NOT NULL DEFAULT 'pending',
  attempts int NOT NULL DEFAULT 0,
  status int,
  finished_at timestamptz
) PARTITION BY RANGE (received_at);
CREATE INDEX forwards_by_seq ON dlv.forwards (seq);
CREATE INDEX forwards_pending ON dlv.forwards (url, shard, seq) WHERE state = 'pending';
CREATE INDEX forwards_given_up ON dlv.forwards (url, seq) WHERE state = 'given-up';
CREATE TABLE dlv.forwards_default PARTITION OF dlv.forwards DEFAULT;
CREATE TABLE dlv.conflicts (
  id text COLLATE "C" NOT NULL,
  account text COLLATE "C" NOT NULL,
  received_at timestamptz NOT NULL,
  raw_headers text NOT NULL,
  body bytea NOT NULL
);
CREATE INDEX conflicts_by_id ON dlv.conflicts (id, account);
CREATE TABLE dlv.cursors (name text PRIMARY KEY, value text NOT NULL);
CREATE TABLE dlv.accounts_forwarded (
  account text COLLATE "C" PRIMARY KEY,
  number int GENERATED ALWAYS AS IDENTITY UNIQUE
);
CREATE TABLE dlv.targets (
  account text COLLATE "C" NOT NULL REFERENCES dlv.accounts_forwarded,
  url text NOT NULL,
  pattern text NOT NULL,
  named_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account, url, pattern)
);
CREATE TABLE dlv.shards (shard int PRIMARY KEY, owner text, epoch bigint NOT NULL DEFAULT 0);
`

export function journalMigrations(subject: string): Migrations {
  return {
    component: 'journal',
    formats: [schema],
    minWriter: 1,
    tables: ['ids', 'events', 'forwards', 'conflicts', 'cursors', 'accounts_forwarded', 'targets', 'shards'],
    subject,
  }
}

/** A pattern of event types, such as `driver.*`, as LIKE has it. */
export function likePattern(eventType: string): string {
  return eventType.replace(/[\\%_]/g, '\\$&').replaceAll('*', '%')
}

/** The pattern of event types that a LIKE pattern stands for. */
export function eventTypeOf(pattern: string): string {
  return pattern.replace(/\\([\\%_])|%/g, (_, escaped: string | undefined) => escaped ?? '*')
}

/** Whether a row of `targets` is still one: a forwarder names its own every hour. */
export const isNamed = "named_at > now() - interval '7 days'"

/** PostgreSQL stores every character but this one. */
export function storable<Text extends string | undefined>(text: Text): Text {
  return text?.replaceAll('\0', '\u{fffd}') as Text
}

/** A condition on a row with an account: it is one of those of a parameter, or any if that is null. */
export function ofAccounts(table: string, parameter: string): string {
  return `(${parameter}::text[] IS NULL OR ${table}.account = ANY(${parameter}))`
}

/** A condition on the shard of a forward: it belongs to one of the accounts of a parameter, or to any if that is null. */
export function shardOfAccounts(parameter: string): string {
  return `(${parameter}::text[] IS NULL OR shard / ${shardCount} IN (SELECT number FROM dlv.accounts_forwarded WHERE account = ANY(${parameter})))`
}

const partitioned = ['events', 'forwards'] as const
/** Days for which partitions are made ahead. */
const daysAhead = 7
/** Only one process at a time looks after the days; any number will do. */
const lock = 0x646c7644

/** Makes the partitions of the next days, and drops the days that are older than the retention as a whole. */
export async function keepPartitions(connection: Connection, retentionDays: number, nowMs: number): Promise<void> {
  const patient = { timeoutMs: 60_000 }
  const [found] = await connection.query(`SELECT pg_try_advisory_lock(${lock}, 0) AS locked`)
  if (found?.locked !== true) return
  try {
    const oldestMs = nowMs - retentionDays * dayMs
    const oldest = dayOf(oldestMs)
    for (const table of partitioned) {
      const days = await daysOf(connection, table)
      for (let ahead = -1; ahead <= daysAhead; ahead++) await addDay(connection, table, days, nowMs + ahead * dayMs)
      for (const day of days) if (day < oldest) await dropDay(connection, table, day)
    }
    // Ids go with their events: an event that is listed is found by its id, and a repetition of it is known.
    const before = [startOfDay(oldestMs)]
    for (const table of [...partitioned.map((name) => `${name}_default`), 'conflicts', 'ids'])
      await connection.query(`DELETE FROM dlv.${table} WHERE received_at < $1`, before, patient)
  } finally {
    if (!connection.isLost()) await connection.query(`SELECT pg_advisory_unlock(${lock}, 0)`)
  }
}

/** The days that have a partition, as `20260302`. */
async function daysOf(connection: Connection, table: string): Promise<Set<string>> {
  const rows = await connection.query(
    `SELECT substring(c.relname FROM '_([0-9]{8})$') AS day FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = $1::regclass`,
    [`dlv.${table}`],
  )
  return new Set(rows.flatMap(({ day }) => (typeof day === 'string' ? [day] : [])))
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10).replaceAll('-', '')
}

function startOfDay(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 10)} 00:00:00+00`
}

async function addDay(connection: Connection, table: string, days: ReadonlySet<string>, ms: number): Promise<void> {
  const day = dayOf(ms)
  if (days.has(day)) return
  const bound = (at: number) => `'${startOfDay(at)}'`
  const name = `dlv.${table}_${day}`
  await ifUnlocked(connection, [
    `CREATE TABLE ${name} (LIKE dlv.${table} INCLUDING DEFAULTS INCLUDING CONSTRAINTS)`,
    `ALTER TABLE dlv.${table} ATTACH PARTITION ${name} FOR VALUES FROM (${bound(ms)}) TO (${bound(ms + dayMs)})`,
  ])
}

async function dropDay(connection: Connection, table: string, day: string): Promise<void> {
  const name = `dlv.${table}_${day}`
  await ifUnlocked(connection, [`ALTER TABLE dlv.${table} DETACH PARTITION ${name}`, `DROP TABLE ${name}`])
}

/**
 * In one transaction, or not at all: if somebody holds a lock, another process was faster, or the default partition has
 * rows of that day already, which stay there.
 */
async function ifUnlocked(connection: Connection, statements: readonly string[]): Promise<void> {
  // A table that somebody reads is left for the next time, rather than keep everybody behind it waiting.
  const options = { timeoutMs: 60_000, settings: { lock_timeout: '1s' } }
  try {
    await inTransaction(connection, options, async () => {
      for (const statement of statements) await connection.query(statement, [], options)
    })
  } catch (error) {
    if (connection.isLost()) throw error
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    // Lock not available, table exists already, rows in the default partition.
    if (!['55P03', '42P07', '23514'].includes(code)) throw error
  }
}
