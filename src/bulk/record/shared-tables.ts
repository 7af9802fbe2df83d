import { hash } from 'node:crypto'
import { type Connection, type DatabaseAccount, type Migrations, markInDatabase } from '../../postgres/index.js'
import type { RunHeader } from './run-record.js'

/** The identity of a shared run: its operation, its account, and its input by content, or by name without its directory. */
export interface SharedHeader extends RunHeader {
  input: string
  content?: string | undefined
  account?: DatabaseAccount | undefined
}

/** The same command on another machine is the same run. */
export function runId({ operation, owner, input, content }: SharedHeader): string {
  const what = content === undefined ? [input] : ['content', content]
  return hash('sha256', JSON.stringify([operation, owner, ...what]), 'hex').slice(0, 32)
}

/** The header with the account's mark in this database, which every machine with the account uses. */
export async function sharedHeader(
  connection: Connection,
  header: SharedHeader,
  subject: string,
): Promise<SharedHeader> {
  const { account } = header
  return account === undefined ? header : { ...header, owner: await markInDatabase(connection, account, subject) }
}

/** The tables of shared runs: one line a run, one a row of its input. */
export const sharedTables: Omit<Migrations, 'subject'> = {
  component: 'bulk',
  formats: [
    `
    CREATE TABLE dlv.bulk_runs (
      run text COLLATE "C" PRIMARY KEY,
      operation text NOT NULL,
      account text NOT NULL,
      input text NOT NULL,
      round int NOT NULL,
      complete boolean NOT NULL,
      begun_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE TABLE dlv.bulk_rows (
      run text COLLATE "C" NOT NULL,
      row bigint NOT NULL,
      body_hash text COLLATE "C" NOT NULL,
      reference text COLLATE "C",
      idempotency_key text COLLATE "C",
      owner uuid NOT NULL,
      lease_until timestamptz NOT NULL,
      sent_at timestamptz,
      was_known boolean NOT NULL DEFAULT false,
      round int NOT NULL,
      outcome text,
      result text,
      changed_at timestamptz NOT NULL DEFAULT now(),
      from_earlier boolean NOT NULL DEFAULT false,
      PRIMARY KEY (run, row, body_hash)
    );
    CREATE INDEX bulk_rows_held ON dlv.bulk_rows (run, owner) WHERE outcome IS NULL;
    CREATE INDEX bulk_rows_by_reference ON dlv.bulk_rows (run, reference) WHERE reference IS NOT NULL;
    `,
  ],
  minWriter: 1,
  tables: ['bulk_runs', 'bulk_rows'],
}

/**
 * Claims rows: new ones, and those whose claim has run out. What is returned belongs to the caller; `resumed` tells that it
 * may have been sent before, and `clash` is another row that has its reference with another body.
 */
export const claimRows = {
  name: 'bulk-claim',
  text: `
    WITH claimed AS (
      INSERT INTO dlv.bulk_rows AS known (run, row, body_hash, reference, idempotency_key, owner, lease_until, sent_at, round)
      SELECT $1, wanted.row, wanted.body_hash, wanted.reference, wanted.idempotency_key, $2::uuid, now() + $3::interval,
        wanted.sent_at, $4
      FROM unnest($5::bigint[], $6::text[], $7::text[], $8::text[], $9::timestamptz[])
        AS wanted (row, body_hash, reference, idempotency_key, sent_at)
      ON CONFLICT (run, row, body_hash) DO UPDATE SET
        was_known = known.outcome IS NULL OR known.outcome = 'unknown',
        idempotency_key = CASE WHEN known.outcome IS NULL OR known.outcome = 'unknown'
          THEN known.idempotency_key ELSE excluded.idempotency_key END,
        reference = excluded.reference, owner = excluded.owner, changed_at = now(), from_earlier = false,
        lease_until = excluded.lease_until, round = excluded.round, outcome = NULL, result = NULL
      WHERE (known.outcome IS NULL AND (known.lease_until < now() OR known.owner = excluded.owner))
        OR (known.outcome = 'unknown' AND known.lease_until < now())
        OR (known.outcome IN ('failed', 'conflict') AND known.round < excluded.round)
      RETURNING row, body_hash, reference, idempotency_key, was_known, sent_at
    )
    SELECT claimed.row, claimed.was_known AS resumed, claimed.idempotency_key, claimed.sent_at, (
      SELECT other.row FROM dlv.bulk_rows AS other
      WHERE other.run = $1 AND other.reference = claimed.reference AND other.row <> claimed.row
        AND other.body_hash <> claimed.body_hash AND coalesce(other.outcome, '') NOT IN ('failed', 'conflict')
      ORDER BY other.row LIMIT 1
    ) AS clash
    FROM claimed`,
}

export const outcomesOfRows = {
  name: 'bulk-outcomes',
  text: `UPDATE dlv.bulk_rows AS known SET from_earlier = false, round = greatest(known.round, $4)
    FROM unnest($2::bigint[], $3::text[]) AS wanted (row, body_hash)
    WHERE known.run = $1 AND known.row = wanted.row AND known.body_hash = wanted.body_hash
    RETURNING known.row, known.outcome`,
}

/** Writes results of rows: those of the caller, and those that nobody could claim because they cannot be sent. */
export const concludeRows = {
  name: 'bulk-conclude',
  text: `
    INSERT INTO dlv.bulk_rows AS known (run, row, body_hash, owner, lease_until, round, outcome, result)
    SELECT $1, done.row, done.body_hash, $2::uuid, now() + $4::interval, $3, done.outcome, done.result
    FROM unnest($5::bigint[], $6::text[], $7::text[], $8::text[]) AS done (row, body_hash, outcome, result)
    ON CONFLICT (run, row, body_hash) DO UPDATE SET outcome = excluded.outcome, result = excluded.result,
      round = excluded.round, lease_until = excluded.lease_until, changed_at = now(), from_earlier = false
    WHERE known.outcome IS NULL OR known.outcome = 'unknown' OR known.owner = excluded.owner OR known.body_hash = ''`,
}

/**
 * The results of a run from a row on: of each row that its newest round has. Rows that move when one is left out have other
 * orders in the next round, so that what an earlier round says of a row counts only while the newest has not come to it or
 * its order.
 */
export const latestOfRows = `
  SELECT row, result FROM (
    SELECT DISTINCT ON (row) row, round, outcome, result, result::json ->> 'clientOrderReference' AS reference
    FROM dlv.bulk_rows WHERE run = $1 AND row > $2 AND result IS NOT NULL AND NOT from_earlier
    ORDER BY row, round DESC, changed_at DESC
  ) AS latest
  WHERE round = $3 OR ((NOT $4::boolean OR outcome = 'unknown') AND NOT EXISTS (
    SELECT 1 FROM dlv.bulk_rows AS newer WHERE newer.run = $1 AND newer.reference = latest.reference AND newer.round = $3
      AND newer.row <> latest.row
  ))
  ORDER BY row LIMIT $5`

/** The rows that a run which begins now would not claim because they have their outcome. */
export const settledRows = `
  SELECT known.row, known.body_hash, known.outcome FROM dlv.bulk_rows AS known JOIN dlv.bulk_runs AS runs USING (run)
  WHERE run = $1 AND (known.row, known.body_hash) > ($2, $3) AND known.outcome <> 'unknown' AND (known.outcome NOT IN ('failed', 'conflict')
    OR known.round >= CASE WHEN runs.complete THEN runs.round + 1 ELSE runs.round END)
  ORDER BY known.row, known.body_hash LIMIT $4`

export const keepClaims = {
  name: 'bulk-keep',
  text: `UPDATE dlv.bulk_rows SET lease_until = now() + $3::interval
    WHERE run = $1 AND owner = $2::uuid AND outcome IS NULL`,
}

export const beginRun = `
  INSERT INTO dlv.bulk_runs AS known (run, operation, account, input, round, complete)
  VALUES ($1, $2, $3, $4, 1, false)
  ON CONFLICT (run) DO UPDATE SET complete = false, begun_at = now(),
    round = CASE WHEN known.complete THEN known.round + 1 ELSE known.round END
  RETURNING round`

/** The run of the same account and operation before, with an input of the same name. */
export const earlierRun = `SELECT run FROM dlv.bulk_runs
  WHERE operation = $1 AND account = $2 AND input = $3 AND run <> $4 ORDER BY begun_at DESC LIMIT 1`

/** Takes rows of an earlier run that need nothing more or may have been sent: an input that was repaired has most of them. */
export const takeEarlierRows = `
  INSERT INTO dlv.bulk_rows (run, row, body_hash, reference, idempotency_key, owner, lease_until, sent_at, was_known, round,
    outcome, result, from_earlier)
  SELECT $2, row, body_hash, reference, idempotency_key, owner, lease_until, sent_at, was_known, 1, outcome, result, true
  FROM dlv.bulk_rows WHERE run = $1 AND body_hash <> '' AND coalesce(outcome, '') NOT IN ('failed', 'conflict')
  ON CONFLICT DO NOTHING`

export const completeRun = 'UPDATE dlv.bulk_runs SET complete = true WHERE run = $1 AND round = $2'
