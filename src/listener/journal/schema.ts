import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { DlvError, UsageError } from '../../contract/index.js'

const version = 2

/**
 * The one index for every question about times, deliveries and types: it grows at its end alone. An index by delivery
 * would touch a page of its own for nearly every event, and half the time of a flood went there.
 */
const arrivalIndex = 'CREATE INDEX events_by_arrival ON events (received_at_ms, delivery_id, event_type);'

/**
 * `events` holds each id once, as it came first; `conflicts` what came later under the same id with another body;
 * `forwards` one row for each event and target, written with the event itself.
 */
const schema = `
CREATE TABLE events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  source TEXT NOT NULL,
  received_at_ms INTEGER NOT NULL,
  timestamp_seconds INTEGER NOT NULL,
  secret TEXT NOT NULL,
  raw_headers TEXT NOT NULL,
  body BLOB NOT NULL,
  event_type TEXT,
  delivery_id TEXT,
  occurred_at TEXT,
  repeats INTEGER NOT NULL DEFAULT 0
) STRICT;
${arrivalIndex}
CREATE TABLE conflicts (
  id TEXT NOT NULL,
  received_at_ms INTEGER NOT NULL,
  raw_headers TEXT NOT NULL,
  body BLOB NOT NULL
) STRICT;
CREATE INDEX conflicts_by_id ON conflicts (id);
CREATE TABLE forwards (
  url TEXT NOT NULL,
  seq INTEGER NOT NULL REFERENCES events (seq),
  state TEXT NOT NULL DEFAULT 'pending',
  attempts INTEGER NOT NULL DEFAULT 0,
  status INTEGER,
  finished_at_ms INTEGER,
  PRIMARY KEY (url, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX forwards_pending ON forwards (url, seq) WHERE state = 'pending';
CREATE TABLE cursors (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE probe (one INTEGER PRIMARY KEY CHECK (one = 1), written_at_ms INTEGER NOT NULL) STRICT;
PRAGMA user_version = ${version};
`

/** What the first format lacks. */
const fromFirstFormat = `
DROP INDEX events_by_delivery;
DROP INDEX events_by_arrival;
${arrivalIndex}
PRAGMA user_version = 2;
`

/**
 * SQLite looks for the forwards of each event that is deleted: without this it reads all of them each time, and the
 * listener stands still while old events are forgotten. A journal that lacks it gets it when it is opened.
 */
const forwardsIndex = 'CREATE INDEX IF NOT EXISTS forwards_by_event ON forwards (seq)'

/**
 * Opens a journal for writing, and proves that it can be written. Created for its owner alone.
 *
 * @param maxBytes size that the file may not outgrow; the disk's own limit unless given
 * @throws UsageError where the file cannot be opened, written or understood.
 */
export function openJournalDatabase(file: string, maxBytes?: number): DatabaseSync {
  return opening(file, () => {
    closeSync(openSync(file, 'a', 0o600))
    const database = new DatabaseSync(file, { timeout: 5_000 })
    // On macOS a plain sync may stay in the drive's cache; elsewhere the last two mean nothing.
    database.exec(
      'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON',
    )
    const found = readVersion(file, database)
    if (found < version) database.exec(`BEGIN; ${found === 0 ? schema : fromFirstFormat} COMMIT`)
    database.exec(forwardsIndex)
    if (maxBytes !== undefined) database.exec(`PRAGMA max_page_count = ${Math.ceil(maxBytes / 4096)}`)
    database
      .prepare('INSERT INTO probe VALUES (1, ?) ON CONFLICT DO UPDATE SET written_at_ms = excluded.written_at_ms')
      .run(Date.now())
    return database
  })
}

/**
 * Opens a journal for reading, beside a listener that may be writing it.
 *
 * @throws UsageError where there is none, or it cannot be understood.
 */
export function openJournalForReading(file: string): DatabaseSync {
  return opening(file, () => {
    const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
    readVersion(file, database)
    return database
  })
}

function readVersion(file: string, database: DatabaseSync): number {
  const found = Number(database.prepare('PRAGMA user_version').get()?.user_version)
  if (found <= version) return found
  throw new UsageError(`the journal ${file} was written by a newer dlv (format ${found}, this one knows ${version})`, {
    hint: 'Update dlv, or use another data directory.',
  })
}

/** Turns what goes wrong while a journal is opened into a `UsageError` that names the file. @internal */
export function opening<Result>(file: string, open: () => Result): Result {
  try {
    return open()
  } catch (error) {
    if (error instanceof DlvError) throw error
    const why = error instanceof Error ? error.message : String(error)
    throw new UsageError(`the journal ${file} cannot be opened: ${why}`, {
      hint: 'Is the directory there and writable, and the disk not full?',
      cause: error,
    })
  }
}
