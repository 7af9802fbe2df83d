/** Since when something waits for a target, and an hour ago at the latest: the partitions before it are not read. */
export const oldestPending = `
SELECT least(min(received_at), now() - make_interval(secs => $2))::text AS floor
FROM dlv.forwards WHERE url = $1 AND state = 'pending'`

/** What waits for a target in these shards, so many of each, without what is held already. */
export const pendingForwards = `
SELECT f.seq, f.id, f.lane, f.shard, f.received_at::text AS received
FROM unnest($2::smallint[]) AS s(shard) CROSS JOIN LATERAL (
  SELECT seq, id, lane, shard, received_at FROM dlv.forwards
  WHERE url = $1 AND shard = s.shard AND state = 'pending'
    AND received_at >= $5::timestamptz AND received_at < now() + interval '1 day'
    AND seq NOT IN (SELECT h FROM unnest($3::bigint[]) AS h)
  ORDER BY seq LIMIT $4
) AS f ORDER BY f.seq`

/** Guarded by the epoch, which is locked against a new owner: whoever takes the shard over sees this, or prevents it. */
export const finishForwards = `
WITH input AS (
  SELECT * FROM unnest($1::text[], $2::bigint[], $3::smallint[], $4::bigint[], $5::timestamptz[], $6::text[], $7::int[],
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

import type { Connection } from '../../../postgres/index.js'
import type { JournalEvent } from '../event.js'
import { eventOf } from './reader.js'

/** The events of forwards, without the counts that nobody is sent. */
export async function readForwarded(
  connection: Connection,
  forwards: readonly { seq: number; receivedAt: string }[],
): Promise<JournalEvent[]> {
  const values = [forwards.map(({ seq }) => seq), forwards.map(({ receivedAt }) => receivedAt)]
  return (await connection.query({ name: 'events', text: forwarded }, values)).map(eventOf)
}

const forwarded = `
SELECT e.* FROM unnest($1::bigint[], $2::timestamptz[]) AS f(seq, received_at)
JOIN dlv.events e ON e.received_at = f.received_at AND e.seq = f.seq`
