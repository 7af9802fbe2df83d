import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makeFolder } from './directory.js'

/** Held by one process, until it releases it or ends. */
export interface SqliteLock {
  release(): void
}

/** Who holds a lock. */
export interface LockHolder {
  pid: number
  /** RFC 3339. */
  startedAt: string
}

/**
 * Takes a lock of the operating system's, held through a small database, so that it ends with its process however that
 * ends. Makes the directory of the file where there is none.
 *
 * @param file the lock's own file, beside what it protects
 * @param held makes the error that is thrown if another process, or this one, holds it already; the holder is unknown
 *   while it is writing its name
 * @throws the error that `held` makes, or the file system's
 */
export function acquireSqliteLock(file: string, held: (holder: LockHolder | undefined) => Error): SqliteLock {
  makeFolder(dirname(file))
  const database = new DatabaseSync(file, { timeout: 0 })
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
    const failure = isBusy(error) ? held(readHolder(database)) : error
    database.close()
    throw failure
  }
  return { release: () => database.close() }
}

const SQLITE_BUSY = 5

/** Whether SQLite gave up because another connection held the lock that it needed. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY
}

function readHolder(database: DatabaseSync): LockHolder | undefined {
  try {
    const row = database.prepare('SELECT pid, started_at AS startedAt FROM holder').get()
    return row === undefined ? undefined : { pid: Number(row.pid), startedAt: String(row.startedAt) }
  } catch {
    // It is being written this very moment: the holder is real, its name is not there yet.
    return undefined
  }
}
