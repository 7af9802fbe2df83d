import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { UsageError } from '../contract/index.js'
import { opening } from '../listener/journal/schema.js'
import { makeFolder } from './directory.js'

/** Held by the one process that may write a journal. */
export interface JournalLock {
  release(): void
}

interface Holder {
  pid: number
  startedAt: string
}

/**
 * Takes the right to write a journal, or says who has it. The lock is one of the operating system's, held through a
 * small database beside the journal, so that it ends with its process however that ends; readers need none.
 *
 * @throws UsageError where another process, or this one, holds it already, or the directory cannot be written.
 */
export function lockJournal(journalFile: string): JournalLock {
  return opening(journalFile, () => {
    makeFolder(dirname(journalFile))
    return take(journalFile, new DatabaseSync(`${journalFile}.lock`, { timeout: 0 }))
  })
}

function take(journalFile: string, database: DatabaseSync): JournalLock {
  try {
    database.exec(
      'CREATE TABLE IF NOT EXISTS holder (one INTEGER PRIMARY KEY CHECK (one = 1), pid INTEGER, started_at TEXT)',
    )
    database.exec('BEGIN IMMEDIATE')
    database
      .prepare(
        'INSERT INTO holder VALUES (1, ?, ?) ON CONFLICT DO UPDATE SET pid = excluded.pid, started_at = excluded.started_at',
      )
      .run(process.pid, new Date().toISOString())
    database.exec('COMMIT')
    // A reserved lock that is never used: it keeps writers out and lets them read who holds it.
    database.exec('BEGIN IMMEDIATE')
  } catch (error) {
    const failure = isBusy(error) ? heldBy(journalFile, readHolder(database)) : error
    database.close()
    throw failure
  }
  return { release: () => database.close() }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === 5
}

function readHolder(database: DatabaseSync): Holder | undefined {
  try {
    const row = database.prepare('SELECT pid, started_at AS startedAt FROM holder').get()
    return row === undefined ? undefined : { pid: Number(row.pid), startedAt: String(row.startedAt) }
  } catch {
    // It is being written this very moment: the holder is real, its name is not there yet.
    return undefined
  }
}

function heldBy(journalFile: string, holder: Holder | undefined): UsageError {
  const who = holder === undefined ? 'another process' : `process ${holder.pid}, since ${holder.startedAt}`
  return new UsageError(`the journal ${journalFile} is in use by ${who}`, {
    hint: 'One listener writes a journal. Stop the other one, or give this one a data directory of its own.',
  })
}
