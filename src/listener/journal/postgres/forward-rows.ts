import { type Connection, exactTime, type Row } from '../../../postgres/index.js'
import { hourMs } from '../../../shared/durations.js'
import type { JournalEvent } from '../event.js'
import type { FinishedForward, ForwardTarget, PendingForward } from '../forwards.js'
import { eventOf } from './reader.js'
import { likePattern, shardCount, storable } from './schema.js'

/** A forward of a journal that several processes share. */
export interface SharedForward extends PendingForward {
  claim: { shard: number; epoch: number }
  /** To the microsecond. */
  receivedAt: string
}

/** The result of such a forward. */
export interface SharedFinished extends FinishedForward {
  forward: SharedForward
}

const numberAccounts = `
INSERT INTO dlv.accounts_forwarded (account)
SELECT account FROM unnest($1::text[]) AS given(account) WHERE account NOT IN (SELECT account FROM dlv.accounts_forwarded)
ON CONFLICT DO NOTHING`

const addShards = `
INSERT INTO dlv.shards (shard)
SELECT number * ${shardCount} + part FROM dlv.accounts_forwarded CROSS JOIN generate_series(0, ${shardCount - 1}) AS part
WHERE account = ANY($1::text[]) ON CONFLICT DO NOTHING`

/** The numbers of the accounts that are forwarded for; those that are new get theirs and their shards. */
export async function numbersOfAccounts(connection: Connection, accounts: readonly string[]): Promise<number[]> {
  const given = [accounts.map(storable)]
  await connection.query(numberAccounts, given, { isDurable: true })
  await connection.query(addShards, given, { isDurable: true })
  const rows = await connection.query(
    'SELECT number FROM dlv.accounts_forwarded WHERE account = ANY($1::text[])',
    given,
  )
  return rows.map(({ number }) => Number(number))
}

/** Names the URLs that every new event of an account is to be forwarded to, with the types that each gets. */
export async function nameTargets(
  connection: Connection,
  targets: readonly ForwardTarget[],
  accounts: readonly string[],
): Promise<void> {
  const named = targets.flatMap(({ url, eventTypes = ['*'], account }) =>
    (account === undefined ? accounts : [account]).flatMap((one) =>
      eventTypes.map((type) => [storable(one), url, likePattern(type)]),
    ),
  )
  await connection.query(
    `INSERT INTO dlv.targets (account, url, pattern) SELECT DISTINCT * FROM unnest($1::text[], $2::text[], $3::text[])
     ON CONFLICT (account, url, pattern) DO UPDATE SET named_at = now()`,
    [0, 1, 2].map((at) => named.map((one) => one[at])),
    { isDurable: true },
  )
}

/** The URLs that forwarders have named for these accounts. */
export async function readTargetUrls(connection: Connection, accounts: readonly string[]): Promise<string[]> {
  const text = 'SELECT DISTINCT url FROM dlv.targets WHERE account = ANY($1::text[]) ORDER BY url'
  return (await connection.query({ name: 'targets', text }, [accounts.map(storable)])).map(({ url }) => String(url))
}

const oldestPending = `
SELECT ${exactTime('least(min(received_at), now() - make_interval(secs => $2))')} AS floor
FROM dlv.forwards WHERE url = $1 AND state = 'pending'`

/** A time before which nothing was received that waits for a target, at least an hour ago. */
export async function readFloor(connection: Connection, url: string): Promise<string> {
  const [row] = await connection.query({ name: 'floor', text: oldestPending }, [url, hourMs / 1_000], {
    timeoutMs: 30_000,
  })
  return String(row?.floor)
}

const pendingForwards = `
SELECT f.seq, f.id, f.lane, f.shard, ${exactTime('f.received_at')} AS received
FROM unnest($2::int[]) AS s(shard) CROSS JOIN LATERAL (
  SELECT seq, id, lane, shard, received_at FROM dlv.forwards
  WHERE url = $1 AND shard = s.shard AND state = 'pending'
    AND received_at >= $5::timestamptz AND received_at < now() + interval '1 day'
    AND seq NOT IN (SELECT h FROM unnest($3::bigint[]) AS h)
  ORDER BY seq LIMIT $4
) AS f ORDER BY f.seq`

/** Which forwards are read. */
interface PendingQuery {
  url: string
  /** The shards to read from, each with the epoch under which it is read. */
  shards: ReadonlyMap<number, number>
  /** Numbers of events that are left out. */
  held: readonly number[]
  /** The most forwards that are read of one shard. */
  each: number
  /** From `readFloor`: older partitions are not read. */
  floor: string
}

/** The forwards that wait for a target, by number, and whether there may be more. */
export async function readPending(
  connection: Connection,
  { url, shards, held, each, floor }: PendingQuery,
): Promise<{ found: SharedForward[]; hasMore: boolean }> {
  const values = [url, [...shards.keys()], held, each, floor]
  const rows = await connection.query({ name: 'pending', text: pendingForwards }, values)
  const counts = new Map<number, number>()
  for (const { shard } of rows) counts.set(Number(shard), (counts.get(Number(shard)) ?? 0) + 1)
  return {
    found: rows.map((row) => forwardOf(row, shards)),
    hasMore: [...counts.values()].some((count) => count >= each),
  }
}

function forwardOf(row: Row, epochs: ReadonlyMap<number, number>): SharedForward {
  const shard = Number(row.shard)
  return {
    seq: Number(row.seq),
    id: String(row.id),
    lane: String(row.lane),
    claim: { shard, epoch: epochs.get(shard) ?? -1 },
    receivedAt: String(row.received),
  }
}

const forwardedEvents = `
SELECT e.* FROM unnest($1::bigint[], $2::timestamptz[]) AS f(seq, received_at)
JOIN dlv.events e ON e.received_at = f.received_at AND e.seq = f.seq`

/** The events of forwards, without their counts, which are not sent. */
export async function readForwarded(
  connection: Connection,
  forwards: readonly SharedForward[],
): Promise<JournalEvent[]> {
  const values = [forwards.map(({ seq }) => seq), forwards.map(({ receivedAt }) => receivedAt)]
  return (await connection.query({ name: 'events', text: forwardedEvents }, values)).map(eventOf)
}

/** Guarded by the epoch, which is locked against a new owner: whoever takes the shard over sees this, or prevents it. */
const finishForwards = `
WITH input AS (
  SELECT * FROM unnest($1::text[], $2::bigint[], $3::int[], $4::bigint[], $5::timestamptz[], $6::text[], $7::int[],
    $8::int[]) AS i(url, seq, shard, epoch, received_at, state, attempts, status)
), owned AS MATERIALIZED (
  SELECT s.shard FROM dlv.shards s
  WHERE (s.shard, s.epoch) IN (SELECT shard, epoch FROM input) ORDER BY s.shard FOR SHARE
), finished AS (
  UPDATE dlv.forwards f SET state = i.state, attempts = i.attempts, status = i.status, finished_at = now()
  FROM input i JOIN owned ON owned.shard = i.shard
  WHERE f.url = i.url AND f.seq = i.seq AND f.shard = i.shard AND f.received_at = i.received_at AND f.state = 'pending'
)
SELECT input.url, input.seq FROM input JOIN owned ON owned.shard = input.shard`

/** Records outcomes; returns a function that tells which were recorded: those whose shard has not been taken over. */
export async function recordFinished(
  connection: Connection,
  all: readonly SharedFinished[],
): Promise<(finished: SharedFinished) => boolean> {
  const forwards = all.map(({ forward }) => forward)
  const rows = await connection.query(
    { name: 'finish', text: finishForwards },
    [
      all.map(({ url }) => url),
      forwards.map(({ seq }) => seq),
      forwards.map(({ claim }) => claim.shard),
      forwards.map(({ claim }) => claim.epoch),
      forwards.map(({ receivedAt }) => receivedAt),
      all.map(({ delivered }) => (delivered ? 'delivered' : 'given-up')),
      all.map(({ attempts }) => attempts),
      all.map(({ status }) => status),
    ],
    { isDurable: true },
  )
  const recorded = new Set(rows.map(({ url, seq }) => `${seq} ${url}`))
  return ({ url, forward }) => recorded.has(`${forward.seq} ${url}`)
}
