import { randomUUID } from 'node:crypto'
import { existsSync, lstatSync, rmSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type * as Sqlite from 'node:sqlite'
import type { DatabaseSync } from 'node:sqlite'
import { makeFolder, makePrivateFile } from './directory.js'
import { UsageError } from './dlv-error.js'
import { oldNode } from './node-errors.js'

/**
 * `node:sqlite`, loaded on first use. Node 22 announces it as experimental on stderr, which would break the rule that
 * a program's stderr is its own: that one notice is held back, every other warning passes.
 *
 * @throws UsageError if this Node has none
 */
export function loadSqlite(): typeof Sqlite {
  const emitWarning = process.emitWarning
  process.emitWarning = ((warning: string | Error, ...rest: unknown[]) => {
    if (String(warning).includes('SQLite is an experimental feature')) return
    Reflect.apply(emitWarning, process, [warning, ...rest])
  }) as typeof process.emitWarning
  try {
    const sqlite: typeof Sqlite | undefined = process.getBuiltinModule?.('node:sqlite')
    if (sqlite === undefined) throw oldNode()
    return sqlite
  } finally {
    process.emitWarning = emitWarning
  }
}

/** A lock that one process holds until it releases it or ends. */
export interface SqliteLock {
  release(): void
}

/** The process that holds a lock. */
export interface LockHolder {
  pid: number
  /** RFC 3339. */
  startedAt: string
}

/** The lock files that this process holds: to open and close one would release its lock. */
const heldHere = new Map<string, LockHolder>()

/** The process that holds a lock now; `undefined` if none does. */
export function lockHolder(file: string): LockHolder | undefined {
  const own = heldHere.get(resolve(file))
  if (own !== undefined || !existsSync(file)) return own
  const database = new (loadSqlite().DatabaseSync)(file, { timeout: 0 })
  try {
    database.exec('BEGIN IMMEDIATE; ROLLBACK')
    return undefined
  } catch (error) {
    return isBusy(error) ? readHolder(database) : undefined
  } finally {
    database.close()
  }
}

/**
 * Maximum number of attempts to create a lock file that its previous holder keeps removing between opening and locking.
 */
const attempts = 10

/**
 * Acquires a lock of the operating system through a small database, so that it ends with its process, however that
 * ends. Creates the directory of the file if necessary; the file is removed when the lock is released.
 *
 * @param file the lock's own file, next to what it protects
 * @param held creates the error that is thrown if another process, or this one, already holds the lock; the holder is
 *   undefined while it is writing its name
 * @throws the error that `held` creates, the file system's, or `UsageError` if the file is not a lock
 */
export function acquireSqliteLock(file: string, held: (holder: LockHolder | undefined) => Error): SqliteLock {
  makeFolder(dirname(file))
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true)
    throw new UsageError(`The lock ${file} is a symbolic link, which is not followed`, { hint: 'Remove it.' })
  for (let attempt = 0; attempt < attempts; attempt++) {
    const nonce = randomUUID()
    const startedAt = new Date().toISOString()
    // Opening and closing an existing file would release this process's own lock on it.
    makePrivateFile(file)
    const database = new (loadSqlite().DatabaseSync)(file, { timeout: 0 })
    try {
      lock(database, nonce, startedAt)
    } catch (error) {
      const failure = lockFailure(error, file, () => held(readHolder(database)))
      database.close()
      if (errcodeOf(error) === SQLITE_READONLY_DBMOVED) continue
      throw failure
    }
    if (nonceIn(file) === nonce) {
      heldHere.set(resolve(file), { pid: process.pid, startedAt })
      return { release: () => release(database, file) }
    }
    // The previous holder removed the file after it was opened here: the locked file no longer has a name.
    database.close()
  }
  throw held(undefined)
}

function lockFailure(error: unknown, file: string, held: () => Error): unknown {
  if (isBusy(error)) return held()
  if (isDamaged(error)) return damaged(file, error)
  return isOutOfRoom(error) ? outOfRoom('write the lock', file, error) : error
}

/**
 * The holder is a view, which needs no page of its own. The database is one page, written at once, so that a process
 * killed here leaves it intact without a journal file.
 */
function lock(database: DatabaseSync, nonce: string, startedAt: string): void {
  database.exec('PRAGMA journal_mode = MEMORY')
  database.exec('BEGIN IMMEDIATE')
  database.exec('DROP VIEW IF EXISTS holder')
  database.exec(`CREATE VIEW holder AS SELECT ${process.pid} AS pid, '${startedAt}' AS startedAt, '${nonce}' AS nonce`)
  database.exec('COMMIT')
  // A reserved lock that is never upgraded: it keeps writers out and lets them read who holds it.
  database.exec('BEGIN IMMEDIATE')
}

/**
 * Removes the file while the lock is still held, then releases the lock, so that nobody removes a file that is in use.
 */
function release(database: DatabaseSync, file: string): void {
  heldHere.delete(resolve(file))
  try {
    rmSync(file, { force: true })
  } finally {
    database.close()
  }
}

const SQLITE_BUSY = 5
const SQLITE_CORRUPT = 11
const SQLITE_NOTADB = 26
const SQLITE_READONLY_DBMOVED = 1032

/** Whether SQLite gave up because another connection held the lock. */
export function isBusy(error: unknown): boolean {
  return errcodeOf(error) === SQLITE_BUSY
}

/** Whether SQLite found that the file is damaged or not a database. */
export function isDamaged(error: unknown): boolean {
  // The low byte is the primary result code; the others refine it.
  const code = Number(errcodeOf(error)) & 0xff
  return code === SQLITE_CORRUPT || code === SQLITE_NOTADB
}

/**
 * Codes for bytes that the system did not take: a full disk, a quota or limit, no room for the index. Nothing of it was
 * synced or acknowledged, so the same can be written again. A failed sync is another matter: the system may have dropped
 * what it could not write, and a second one that succeeds would prove nothing.
 */
const refusedCodes: ReadonlySet<unknown> = new Set([13, 778, 4_874])

/** Whether a write failed for want of room, which somebody can make; also for an error that says so in other words. */
export function isOutOfRoom(error: unknown): boolean {
  return refusedCodes.has(errcodeOf(error)) || (error instanceof Error && refusedCodes.has(errcodeOf(error.cause)))
}

const makeRoom =
  'Free some space on it, or raise the quota, and run the command again: what was kept before is still there.'

/** The error for a file that found no room: which disk is full, and what to do. `what` is what failed, such as `write the lock`. */
export function outOfRoom(what: string, file: string, cause: unknown, hint = makeRoom): UsageError {
  return new UsageError(`Cannot ${what} ${file}: the disk of ${dirname(resolve(file))} is full.`, { hint, cause })
}

function errcodeOf(error: unknown): unknown {
  return error instanceof Error && 'errcode' in error ? error.errcode : undefined
}

function damaged(file: string, cause: unknown): UsageError {
  return new UsageError(`The lock file ${file} is damaged.`, {
    hint: `Make sure that no other dlv is using it, then remove ${file}.`,
    cause,
  })
}

function readHolder(database: DatabaseSync): LockHolder | undefined {
  try {
    const row = database.prepare('SELECT pid, startedAt FROM holder').get()
    return row === undefined ? undefined : { pid: Number(row.pid), startedAt: String(row.startedAt) }
  } catch {
    // It is being written at this moment: there is a holder, but its name is not there yet.
    return undefined
  }
}

/** The nonce in the current lock file; `undefined` if there is no file, or it is being written. */
function nonceIn(file: string): unknown {
  let database: DatabaseSync | undefined
  try {
    database = new (loadSqlite().DatabaseSync)(file, { readOnly: true, timeout: 0 })
    return database.prepare('SELECT nonce FROM holder').get()?.nonce
  } catch {
    return undefined
  } finally {
    database?.close()
  }
}
