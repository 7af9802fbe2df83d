import { hash } from 'node:crypto'
import type { Migrations } from '../../postgres/index.js'
import type { RunHeader } from './run-record.js'

/** The identity of a shared run: its operation, its profile and the name of its input, without its directory. */
export type SharedHeader = RunHeader & { input: string }

/** The same command on another machine is the same run. */
export function runId({ operation, profile, input }: SharedHeader): string {
  return hash('sha256', JSON.stringify([operation, profile, input]), 'hex').slice(0, 32)
}

/** The tables of shared runs: one line a run, one a row of its input. */
export const sharedTables: Omit<Migrations, 'subject'> = {
  component: 'bulk',
  formats: [
    `
    CREATE TABLE dlv.bulk_runs (
      run text COLLATE "C" PRIMARY KEY,
      operation text NOT NULL,
      profile text NOT NULL,
      input text NOT NULL,
      round int NOT NULL,
      complete boolean NOT NULL
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
      PRIMARY KEY (run, row)
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
      ON CONFLICT (run, row) DO UPDATE SET
        was_known = known.body_hash = excluded.body_hash AND (known.outcome IS NULL OR known.outcome = 'unknown'),
        sent_at = CASE WHEN known.body_hash = excluded.body_hash THEN known.sent_at ELSE excluded.sent_at END,
        idempotency_key = CASE
          WHEN known.body_hash = excluded.body_hash AND (known.outcome IS NULL OR known.outcome = 'unknown')
          THEN known.idempotency_key ELSE excluded.idempotency_key END,
        body_hash = excluded.body_hash, reference = excluded.reference, owner = excluded.owner,
        lease_until = excluded.lease_until, round = excluded.round, outcome = NULL, result = NULL
      WHERE known.body_hash <> excluded.body_hash
        OR (known.outcome IS NULL AND (known.lease_until < now() OR known.owner = excluded.owner))
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
  text: 'SELECT row, outcome FROM dlv.bulk_rows WHERE run = $1 AND row = ANY($2::bigint[])',
}

/** Writes results of rows: those of the caller, and those that nobody could claim because they cannot be sent. */
export const concludeRows = {
  name: 'bulk-conclude',
  text: `
    INSERT INTO dlv.bulk_rows AS known (run, row, body_hash, owner, lease_until, round, outcome, result)
    SELECT $1, done.row, '', $2::uuid, now() + $4::interval, $3, done.outcome, done.result
    FROM unnest($5::bigint[], $6::text[], $7::text[]) AS done (row, outcome, result)
    ON CONFLICT (run, row) DO UPDATE SET outcome = excluded.outcome, result = excluded.result, round = excluded.round,
      lease_until = excluded.lease_until
    WHERE known.outcome IS NULL OR known.outcome = 'unknown' OR known.owner = excluded.owner`,
}

/** The rows that a run which begins now would not claim because they have their outcome. */
export const settledRows = `
  SELECT known.row, known.body_hash, known.outcome FROM dlv.bulk_rows AS known JOIN dlv.bulk_runs AS runs USING (run)
  WHERE run = $1 AND known.row > $2 AND known.outcome <> 'unknown' AND (known.outcome NOT IN ('failed', 'conflict')
    OR known.round >= CASE WHEN runs.complete THEN runs.round + 1 ELSE runs.round END)
  ORDER BY known.row LIMIT $3`

export const keepClaims = {
  name: 'bulk-keep',
  text: `UPDATE dlv.bulk_rows SET lease_until = now() + $3::interval
    WHERE run = $1 AND owner = $2::uuid AND outcome IS NULL`,
}

export const beginRun = `
  INSERT INTO dlv.bulk_runs AS known (run, operation, profile, input, round, complete)
  VALUES ($1, $2, $3, $4, 1, false)
  ON CONFLICT (run) DO UPDATE SET complete = false,
    round = CASE WHEN known.complete THEN known.round + 1 ELSE known.round END
  RETURNING round`

export const completeRun = 'UPDATE dlv.bulk_runs SET complete = true WHERE run = $1 AND round = $2'
