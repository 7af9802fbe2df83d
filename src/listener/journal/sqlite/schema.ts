import type { DatabaseSync } from 'node:sqlite'
import { UsageError } from '../../../contract/index.js'
import { makePrivateFile } from '../../../shared/directory.js'
import { acquireSqliteLock, type LockHolder, loadSqlite, type SqliteLock } from '../../../shared/sqlite.js'
import { journalError } from './failure.js'

/** `dlvJ`: tells a journal from every other SQLite database. */
const applicationId = 0x646c764a
const version = 1

/**
 * `events` holds each id of an account once, as it came first; `conflicts` what came later under the same id with another body;
 * `forwards` one row for each event and target, written with the event itself; `accounts` how machines and keys of an account
 * find its mark.
 *
 * One index answers every question about times, deliveries and types, for it grows at its end only: one by delivery
 * would touch a page of its own for nearly every event, and half the time of a flood went there. SQLite looks for the
 * forwards of each event that is deleted: without `forwards_by_event` it reads all of them each time, and the listener
 * stands still while old events are forgotten.
 */
const schema = `
CREATE TABLE events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL,
  account TEXT NOT NULL,
  source TEXT NOT NULL,
  received_at_ms INTEGER NOT NULL,
  timestamp_seconds INTEGER NOT NULL,
  secret TEXT NOT NULL,
  raw_headers TEXT NOT NULL,
  body BLOB NOT NULL,
  event_type TEXT,
  delivery_id TEXT,
  occurred_at TEXT,
  repeats INTEGER NOT NULL DEFAULT 0,
  UNIQUE (id, account)
) STRICT;
CREATE INDEX events_by_arrival ON events (received_at_ms, delivery_id, event_type, account);
CREATE TABLE conflicts (
  seq INTEGER NOT NULL,
  received_at_ms INTEGER NOT NULL,
  raw_headers TEXT NOT NULL,
  body BLOB NOT NULL
) STRICT;
CREATE INDEX conflicts_by_event ON conflicts (seq);
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
CREATE INDEX forwards_given_up ON forwards (url, seq) WHERE state = 'given-up';
CREATE INDEX forwards_by_event ON forwards (seq);
CREATE TABLE accounts (
  mark TEXT PRIMARY KEY,
  service TEXT NOT NULL,
  salt TEXT NOT NULL,
  marks TEXT NOT NULL,
  keys TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE cursors (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE probe (one INTEGER PRIMARY KEY CHECK (one = 1), written_at_ms INTEGER NOT NULL) STRICT;
PRAGMA application_id = ${applicationId};
PRAGMA user_version = ${version};
`

/**
 * Opens a journal for writing, and proves that it can be written. A new one is created for its owner only.
 *
 * @param maxBytes size that the file may not outgrow; the disk's own limit unless given
 * @throws UsageError if the file cannot be opened or written, is damaged, or is not a journal
 */
export function openJournalDatabase(file: string, maxBytes?: number): DatabaseSync {
  return opening(file, () => {
    makePrivateFile(file)
    const database = new (loadSqlite().DatabaseSync)(file, { timeout: 5_000 })
    return closedOnFailure(database, () => {
      prepareToWrite(database)
      if (isEmpty(file, database)) database.exec(`BEGIN; ${schema} COMMIT`)
      limitSize(database, maxBytes)
      database
        .prepare('INSERT INTO probe VALUES (1, ?) ON CONFLICT DO UPDATE SET written_at_ms = excluded.written_at_ms')
        .run(Date.now())
    })
  })
}

/** Opens for writing what this process has opened before. @throws Error if the file is another one by now */
export function openKnownJournal(file: string, maxBytes: number | undefined): DatabaseSync {
  const database = new (loadSqlite().DatabaseSync)(file, { timeout: 5_000 })
  return closedOnFailure(database, () => {
    if (isEmpty(file, database)) throw new Error(`${file} is not the journal that was opened`)
    prepareToWrite(database)
    limitSize(database, maxBytes)
  })
}

function prepareToWrite(database: DatabaseSync) {
  // On macOS a plain sync may stay in the drive's cache; elsewhere the last two mean nothing.
  database.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON',
  )
}

function limitSize(database: DatabaseSync, maxBytes: number | undefined) {
  if (maxBytes !== undefined) database.exec(`PRAGMA max_page_count = ${Math.ceil(maxBytes / 4096)}`)
}

/**
 * Opens a journal for reading, beside a listener that may be writing it. A file that a listener has only just created
 * reads like a journal without events.
 *
 * @throws UsageError if there is none, or it is damaged or not a journal
 */
export function openJournalForReading(file: string): DatabaseSync {
  return opening(file, () => {
    const database = new (loadSqlite().DatabaseSync)(file, { readOnly: true, timeout: 5_000 })
    let isNew = false
    closedOnFailure(database, () => {
      isNew = isEmpty(file, database)
    })
    if (!isNew) return database
    database.close()
    const empty = new (loadSqlite().DatabaseSync)(':memory:')
    empty.exec(schema)
    return empty
  })
}

function closedOnFailure(database: DatabaseSync, prepare: () => void): DatabaseSync {
  try {
    prepare()
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Whether nothing has been written yet. Throws `UsageError` for a file that this version cannot use. */
function isEmpty(file: string, database: DatabaseSync): boolean {
  const pragma = (name: string) => Number(database.prepare(`PRAGMA ${name}`).get()?.[name])
  const found = pragma('user_version')
  if (pragma('application_id') === applicationId) {
    if (found <= version) return false
    throw new UsageError(
      `The journal ${file} was written by a newer dlv (format ${found}; this one reads ${version}).`,
      {
        hint: 'Update dlv, or use another data directory.',
      },
    )
  }
  const tables = Number(database.prepare('SELECT count(*) AS count FROM sqlite_schema').get()?.count)
  if (found === 0 && tables === 0) return true
  throw new UsageError(`${file} is a database, but not a journal of dlv.`, {
    hint: 'Move it away, or use another data directory.',
  })
}

/**
 * Takes the right to write a journal, or says who has it. Readers need no lock.
 *
 * @throws UsageError if another process, or this one, holds it already, or the directory cannot be written
 */
export function lockJournal(journalFile: string): SqliteLock {
  return opening(journalFile, () => acquireSqliteLock(`${journalFile}.lock`, (holder) => inUse(journalFile, holder)))
}

function inUse(journalFile: string, holder: LockHolder | undefined): UsageError {
  const who = holder === undefined ? 'another process' : `process ${holder.pid}, since ${holder.startedAt}`
  return new UsageError(`The journal ${journalFile} is in use by ${who}.`, {
    hint: 'One listener writes a journal. Stop the other one, or use another data directory (DLV_DATA_DIR).',
  })
}

/** Turns what goes wrong while a journal is opened into a `UsageError` that names the file. @internal */
export function opening<Result>(file: string, open: () => Result): Result {
  try {
    return open()
  } catch (error) {
    throw journalError(file, error, 'open', 'Is the directory there and writable, and the disk not full?')
  }
}
