import type { Migrations } from '../../../postgres/index.js'
import { unpacked } from './pack.js'

/** Into how many parts the deliveries are divided among the processes that forward. */
export const shardCount = 64

/** Advisory locks of two numbers: one of these, and a shard, a forwarder or the hash of a name. */
export const lockClasses = { shards: 0x646c7653, forwarders: 0x646c7657, leaders: 0x646c764c } as const

/** Forwarders are woken by a notification on this channel. */
export const channel = 'dlv_events'

/** For each partition: a row is kept whole up to the size of a page. Beyond, its bodies are compressed and moved. */
export const wholeRows = 'WITH (toast_tuple_target = 8160)'

/**
 * `ids` holds each id once and decides what is new; it is apart because a unique key of a partitioned table must hold the
 * column of its partitions. `packs` holds the events, as many in a row as a page has room for: a row of its own for each
 * event, with its index entries, took the server half as long again. `events` shows them one by one. `packs` and `forwards`
 * have a partition for each day, so that old days are dropped and not deleted, and one for everything else; `received_at`
 * is the same in both and in `ids`, that of the pack. A B-tree by delivery would touch a page of its own for nearly every
 * event, which took 40 % of the server's time in a flood; a GIN index notes what is new at its end, and sorts a megabyte
 * of that at once. `targets` are the URLs that forwarders have named: every event is to be forwarded to those whose pattern
 * its type matches. The epoch of a shard grows with each new owner, so that its last one can no longer record anything.
 */
const format1 = `
CREATE SEQUENCE dlv.batch;
CREATE TABLE dlv.ids (
  id text COLLATE "C" PRIMARY KEY,
  seq bigint NOT NULL,
  received_at timestamptz NOT NULL,
  repeats int NOT NULL DEFAULT 0
);
CREATE INDEX ids_by_time ON dlv.ids USING brin (received_at);
CREATE TABLE dlv.packs (
  seq bigint NOT NULL,
  received_at timestamptz NOT NULL,
  deliveries text[] COLLATE "C" NOT NULL,
  events text NOT NULL,
  bodies bytea NOT NULL
) PARTITION BY RANGE (received_at);
CREATE INDEX packs_by_delivery ON dlv.packs USING gin (deliveries) WITH (gin_pending_list_limit = 1024);
CREATE INDEX packs_by_seq ON dlv.packs (seq);
CREATE INDEX packs_by_time ON dlv.packs USING brin (received_at);
CREATE TABLE dlv.packs_default PARTITION OF dlv.packs DEFAULT ${wholeRows};
CREATE VIEW dlv.events AS ${unpacked('dlv.packs')};
CREATE TABLE dlv.forwards (
  url text NOT NULL,
  seq bigint NOT NULL,
  lane text COLLATE "C" NOT NULL,
  shard smallint NOT NULL,
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
  received_at timestamptz NOT NULL,
  raw_headers text NOT NULL,
  body bytea NOT NULL
);
CREATE INDEX conflicts_by_id ON dlv.conflicts (id);
CREATE TABLE dlv.cursors (name text PRIMARY KEY, value text NOT NULL);
CREATE TABLE dlv.targets (
  url text NOT NULL,
  pattern text NOT NULL,
  named_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (url, pattern)
);
CREATE TABLE dlv.shards (shard smallint PRIMARY KEY, owner text, epoch bigint NOT NULL DEFAULT 0);
INSERT INTO dlv.shards (shard) SELECT generate_series(0, ${shardCount - 1});
`

export function journalMigrations(subject: string): Migrations {
  return {
    component: 'journal',
    formats: [format1],
    minWriter: 1,
    tables: ['ids', 'packs', 'forwards', 'conflicts', 'cursors', 'targets', 'shards'],
    subject,
  }
}

/** A pattern of event types, such as `driver.*`, as LIKE has it. */
export function likePattern(eventType: string): string {
  return eventType.replace(/[\\%_]/g, '\\$&').replaceAll('*', '%')
}

/** The other way round. */
export function eventTypeOf(pattern: string): string {
  return pattern.replace(/\\([\\%_])|%/g, (_, escaped: string | undefined) => escaped ?? '*')
}

/** Whether a row of `targets` is still one: a forwarder names its own every hour. */
export const isNamed = "named_at > now() - interval '7 days'"
