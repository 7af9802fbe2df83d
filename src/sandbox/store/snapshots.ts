import { randomUUID } from 'node:crypto'
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { UsageError } from '../../contract/index.js'
import { makeFolder, makePrivateFile } from '../../shared/directory.js'
import { type Columns, DamagedFileError, type Database, findingOf } from './database.js'
import { applicationId, formatVersion, snapshotTables } from './schema.js'

/** A file that cannot be restored from; what was there before is left as it is. */
export class UnusableSnapshotError extends UsageError {
  constructor(file: string, reason: string, cause?: unknown) {
    const origin = cause instanceof DamagedFileError ? cause.cause : cause
    const detail = origin instanceof Error ? `: ${origin.message}` : ''
    super(`The snapshot ${file} ${reason}${detail}. The state was left as it is.`, {
      hint: 'Restore another one of this state.',
      cause,
    })
  }
}

export function clearTables(database: Database): void {
  for (const table of snapshotTables) database.execute(`DELETE FROM ${table}`)
}

/** Removes the rows of an account from every table. */
export function removeRowsOf(database: Database, accountId: string): void {
  const events = 'SELECT seq FROM events WHERE account_id = ?'
  database.run(`DELETE FROM webhooks WHERE event_seq IN (${events})`, accountId)
  database.run('DELETE FROM attempts WHERE event_id IN (SELECT event_id FROM events WHERE account_id = ?)', accountId)
  for (const table of ['events', 'deliveries', 'idempotency', 'endpoints'])
    database.run(`DELETE FROM ${table} WHERE account_id = ?`, accountId)
  database.run(`DELETE FROM quotes WHERE record ->> '$.accountId' = ?`, accountId)
}

/** Copies the state into a file of its own, which gets its name only once it is complete and on the disk. */
export function writeSnapshot(database: Database, file: string): void {
  makeFolder(dirname(file))
  const unfinished = `${file}.${process.pid}.${randomUUID()}.tmp`
  try {
    makePrivateFile(unfinished)
    database.execute(`VACUUM INTO ${quoted(unfinished)}`)
    sync(unfinished)
    renameSync(unfinished, file)
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw error
  }
  sync(dirname(file))
}

/**
 * Replaces the present state with a snapshot's in one transaction: other processes on the file see one or the other.
 * The snapshot is opened read-only, and checked before anything is replaced.
 *
 * @param kept names of settings that stay as they are
 * @throws {UnusableSnapshotError} if the file is not a whole snapshot of this format; the state is left as it is
 */
export function restoreSnapshot(database: Database, file: string, kept: readonly string[]): void {
  if (statSync(file).size === 0) throw new UnusableSnapshotError(file, 'is empty')
  attach(database, file)
  try {
    proveSnapshot(database, file)
    database.write(() => {
      const names = kept.map((name) => `'${name}'`).join()
      const settings = database.all(`SELECT name, value FROM settings WHERE name IN (${names})`)
      clearTables(database)
      for (const table of snapshotTables) {
        database.execute(`INSERT INTO main.${table} SELECT * FROM snapshot.${table}`)
      }
      for (const { name = null, value = null } of settings)
        database.run('INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)', name, value)
    })
  } finally {
    database.execute('DETACH snapshot')
  }
}

function attach(database: Database, file: string): void {
  try {
    database.execute(`ATTACH ${quoted(`${pathToFileURL(file).href}?mode=ro`)} AS snapshot`)
  } catch (error) {
    throw new UnusableSnapshotError(file, 'is damaged or is not a database', error)
  }
}

function proveSnapshot(database: Database, file: string): void {
  let findings: { owner: unknown; format: number; integrity: unknown }
  try {
    findings = {
      owner: database.get('PRAGMA snapshot.application_id')?.application_id,
      format: Number(database.get('PRAGMA snapshot.user_version')?.user_version),
      integrity: database.get('PRAGMA snapshot.integrity_check(1)')?.integrity_check,
    }
  } catch (error) {
    throw new UnusableSnapshotError(file, 'is damaged', error)
  }
  const { owner, format, integrity } = findings
  if (owner !== applicationId) throw new UnusableSnapshotError(file, 'was not written by the sandbox')
  if (format !== formatVersion)
    throw new UnusableSnapshotError(file, `has format ${format}, and this version of dlv reads format ${formatVersion}`)
  if (integrity !== 'ok') throw new UnusableSnapshotError(file, `is damaged (${findingOf(integrity)})`)
  const differing = snapshotTables.find(
    (table) => columnsOf(database, 'main', table) !== columnsOf(database, 'snapshot', table),
  )
  if (differing !== undefined) throw new UnusableSnapshotError(file, `has other columns in its table ${differing}`)
  if (database.get("SELECT 1 FROM snapshot.settings WHERE name = 'seeded'") === undefined)
    throw new UnusableSnapshotError(file, 'holds no state')
}

function columnsOf(database: Database, schema: 'main' | 'snapshot', table: string): string {
  const columns: Columns[] = database.all(`PRAGMA ${schema}.table_info(${table})`)
  return columns.map(({ name }) => name).join()
}

/** Waits until what was written to a file, or the names in a directory, are on the disk. */
function sync(path: string): void {
  // Windows opens no directory, and keeps their entries itself.
  if (process.platform === 'win32' && statSync(path).isDirectory()) return
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
