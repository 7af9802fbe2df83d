import { existsSync, lstatSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { shellWord } from '../shared/command-words.js'
import { makeFolder, makePrivateFile } from '../shared/directory.js'
import { UsageError } from '../shared/dlv-error.js'
import { isDamaged, isOutOfRoom, loadSqlite, outOfRoom } from '../shared/sqlite.js'
import { type ColumnType, type Table, tables } from './tables.js'
import { updateViews } from './views.js'

/** A file of the archive: `archive` holds no names, phone numbers or addresses; `people` holds nothing else. */
export type ArchiveFile = Table['file']

/** `dlvA` and `dlvP`: tell the two files from every other SQLite database, and from each other. */
const applicationIds: Readonly<Record<ArchiveFile, number>> = { archive: 0x646c7641, people: 0x646c7650 }

/** The version of the tables in `tables.ts`, and the oldest to which writing adds what it lacks. */
const [schemaVersion, oldestVersion] = [3, 2]

/** The two files of an account's archive. */
export type ArchivePaths = Readonly<Record<ArchiveFile, string>>

/** @param account the account's data name: a profile, or a host with a fingerprint */
export function archivePaths(dataDir: string, account: string): ArchivePaths {
  const name = `archive-${account.replaceAll(/[^\w.@-]/g, (sign) => `%${sign.codePointAt(0)?.toString(16)}`)}`
  return { archive: join(dataDir, `${name}.db`), people: join(dataDir, `${name}.people.db`) }
}

/** Whether an account has an archive. */
export function hasArchive({ archive }: ArchivePaths): boolean {
  return existsSync(archive)
}

/** The file that has the next fill read again what the service lists. */
export function againFile({ archive }: ArchivePaths): string {
  return `${archive}.again`
}

/** Has the next fill of an archive read again what the service lists: its past has changed. */
export function readAgain(paths: ArchivePaths): void {
  if (hasArchive(paths)) makePrivateFile(againFile(paths))
}

/**
 * Opens a file of the archive for writing, and creates it for its owner only if it does not exist.
 *
 * @throws UsageError if it cannot be opened or written, is damaged, was written by a newer version, is another file, or
 *   another user put it there
 */
export function openForWriting(file: ArchiveFile, path: string): DatabaseSync {
  return naming(path, 'open', () => {
    makeFolder(dirname(path))
    refuseForeign(path)
    makePrivateFile(path)
    const { DatabaseSync } = loadSqlite()
    return closedOnFailure(new DatabaseSync(path, { timeout: 5_000 }), (database) => {
      // A killed process loses nothing. After a power failure the next fill looks back further than what was lost.
      database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4000')
      if (file === 'people') database.exec('PRAGMA secure_delete = ON')
      if (isEmpty(file, path, database))
        database.exec(
          `BEGIN IMMEDIATE; ${schemaOf(file)}
           PRAGMA application_id = ${applicationIds[file]}; PRAGMA user_version = ${schemaVersion}; COMMIT`,
        )
      refuseOthers(path, database)
      addMissing(file, database)
      keepOwner(path, database)
      if (file === 'archive') updateViews(database)
    })
  })
}

/**
 * Opens a file of the archive for reading; another process may be writing it. Statements that write fail.
 *
 * @throws UsageError if there is none, it is damaged, was written by a newer version, or is another file
 */
export function openForReading(file: ArchiveFile, path: string): DatabaseSync {
  if (!existsSync(path)) throw new UsageError(`There is no archive ${path} yet.`, { hint: 'Run `dlv sync` first.' })
  return naming(path, 'open', () => {
    refuseForeign(path)
    const open = (address: string | URL) => {
      const { DatabaseSync } = loadSqlite()
      return closedOnFailure(new DatabaseSync(address, { readOnly: true, timeout: 5_000 }), (database) => {
        // Created, and not filled yet: the process that creates it is at work, or was killed.
        if (isEmpty(file, path, database))
          throw new UsageError(`The archive ${path} is empty.`, { hint: 'Run `dlv sync` first.' })
        refuseOthers(path, database)
      })
    }
    try {
      return open(path)
    } catch (error) {
      if (!isShut(error, path)) throw error
      return open(stillAddress(path))
    }
  })
}

/** The account whose archive a file is, by its name. */
const ownerByName = (path: string) => basename(path).replace(/(?:\.people)?\.db$/, '')

/** Keeps in the file whose it is: its name can be given to another one. */
function keepOwner(path: string, database: DatabaseSync): void {
  database.exec('CREATE TABLE IF NOT EXISTS owner (name TEXT NOT NULL) STRICT')
  database.prepare('INSERT INTO owner SELECT ? WHERE NOT EXISTS (SELECT 1 FROM owner)').run(ownerByName(path))
}

/** @throws UsageError for the file of another account under this one's name, by a copy, a link or a rename */
function refuseOthers(path: string, database: DatabaseSync): void {
  if (database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'owner'").get() === undefined) return
  const owner = database.prepare('SELECT name FROM owner').get()?.name
  if (owner === undefined || owner === ownerByName(path)) return
  throw new UsageError(`The archive ${path} is that of another account: it was ${String(owner)}.db.`, {
    hint: 'Give it its name back; `dlv sync` makes one for this account.',
  })
}

/** SQLite keeps an index beside a file that several processes may read: 14 and 8 are its codes for not being able to. */
const shutCodes: ReadonlySet<unknown> = new Set([14, 8])

/** Whether a file cannot be opened only because nothing may be written beside it, and nothing is beside it to be read. */
function isShut(error: unknown, path: string): boolean {
  const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 255 : undefined
  return shutCodes.has(code) && (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0
}

/** Attaches another file to a connection that reads. */
export function attachForReading(database: DatabaseSync, path: string, name: string): void {
  const attach = (address: string) => {
    database.prepare(`ATTACH ? AS ${name}`).run(address)
    database.prepare(`SELECT 1 FROM ${name}.sqlite_schema LIMIT 1`).get()
  }
  try {
    attach(path)
  } catch (error) {
    if (!isShut(error, path)) throw error
    if (
      database
        .prepare('PRAGMA database_list')
        .all()
        .some((one) => one.name === name)
    )
      database.exec(`DETACH ${name}`)
    attach(stillAddress(path).href)
  }
}

/** The address by which SQLite takes a file for one that nobody changes. */
function stillAddress(path: string): URL {
  const address = pathToFileURL(path)
  address.searchParams.set('immutable', '1')
  return address
}

/**
 * Refuses a file or a link that another user put into a directory which both can write: names and addresses would be
 * theirs to read. The owner of the directory could replace it anyway, and owns all files on some network drives.
 */
function refuseForeign(path: string): void {
  const uid = process.getuid?.()
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats?.isDirectory())
    throw new UsageError(`The archive ${path} is a directory.`, {
      hint: `Move it away: mv ${shellWord(path)} ${shellWord(`${path}.other`)}`,
    })
  if (uid === undefined || stats === undefined || stats.uid === uid || stats.uid === statSync(dirname(path)).uid) return
  throw new UsageError(`The archive ${path} belongs to another user.`, {
    hint: 'Set DLV_DATA_DIR to a directory of yours.',
  })
}

/** Runs work on a file, or on both. @throws UsageError that names the file, for any failure of SQLite or the file system */
export function naming<Result>(
  files: string | ArchivePaths,
  verb: 'open' | 'read' | 'write',
  work: () => Result,
): Result {
  try {
    return work()
  } catch (error) {
    throw archiveError(files, verb, error)
  }
}

/** The error for a file that cannot be used: SQLite's own message, and what to do. */
export function archiveError(files: string | ArchivePaths, verb: 'open' | 'read' | 'write', error: unknown): unknown {
  if (!(error instanceof Error) || !('errcode' in error || 'syscall' in error)) return error
  const isBroken = isUnreadable(error)
  const path = typeof files === 'string' ? files : isBroken ? damagedFile(files) : files.archive
  if (isOutOfRoom(error)) return outOfRoom(`${verb} the archive`, path, error)
  if (!isBroken)
    return new UsageError(`Cannot ${verb} the archive ${path}: ${error.message}.`, {
      hint: 'Make sure that the directory exists and is writable.',
      cause: error,
    })
  const [whole, damaged] = [shellWord(path), shellWord(`${path}.damaged`)]
  // A new archive does not know that people were left out.
  const isWithoutPeople = !existsSync(path.replace(/(\.people)?\.db$/, '.people.db'))
  return new UsageError(`The archive ${path} is damaged: ${error.message}.`, {
    hint: [
      `Move it away, and fetch what the service still lists: mv ${whole} ${damaged}; rm -f ${shellWord(`${path}-wal`)} ${shellWord(`${path}-shm`)}; dlv sync --from 30d${isWithoutPeople ? ' --no-personal' : ''}`,
      `Take over what can still be read of the damaged file: (echo 'BEGIN;'; sqlite3 ${damaged} .dump | sed -n 's/^INSERT INTO/INSERT OR IGNORE INTO/p'; echo 'COMMIT;') | sqlite3 ${whole}`,
    ].join('\n'),
    cause: error,
  })
}

/** The damaged one of two files that are read through one connection. */
function damagedFile({ archive, people }: ArchivePaths): string {
  if (!existsSync(people)) return archive
  try {
    const database = openForReading('people', people)
    const isWhole = database.prepare('PRAGMA integrity_check(1)').get()?.integrity_check === 'ok'
    for (const [name, { file, columns }] of Object.entries<Table>(tables))
      if (file === 'people') database.prepare(`SELECT ${Object.keys(columns).join(', ')} FROM ${name}`)
    database.close()
    return isWhole ? archive : people
  } catch {
    return people
  }
}

/** Whether an error says that a file is damaged, or lacks a table or column that every archive has. */
export function isUnreadable(error: unknown): boolean {
  const { message = '' } = error instanceof Error ? error : {}
  return isDamaged(error) || /^no such (?:table|column|index)|has no column/.test(message)
}

/** Removes a file with all that SQLite keeps beside it. */
export function removeDatabase(path: string): void {
  for (const end of ['-wal', '-shm', '-journal', '']) rmSync(`${path}${end}`, { force: true })
}

/** Whether nothing has been written yet. Throws `UsageError` for a file that this version cannot use. */
function isEmpty(file: ArchiveFile, path: string, database: DatabaseSync): boolean {
  const pragma = (name: string) => Number(database.prepare(`PRAGMA ${name}`).get()?.[name])
  const version = pragma('user_version')
  if (pragma('application_id') === applicationIds[file]) {
    if (version === schemaVersion) return false
    if (version >= oldestVersion && version < schemaVersion) return false
    if (version < schemaVersion)
      throw new UsageError(`The archive ${path} was written by an older dlv, with other tables.`, {
        hint: 'Move its files away, and run `dlv sync --from 30d`.',
      })
    throw new UsageError(
      `The archive ${path} was written by a newer dlv (version ${version}; this one reads ${schemaVersion}).`,
      { hint: 'Update dlv, or use another data directory (DLV_DATA_DIR).' },
    )
  }
  const objects = Number(database.prepare('SELECT count(*) AS count FROM sqlite_schema').get()?.count)
  if (version === 0 && objects === 0) return true
  throw new UsageError(`${path} is a database, but not an archive of dlv.`, {
    hint: 'Move it away, or use another data directory (DLV_DATA_DIR).',
  })
}

function closedOnFailure(database: DatabaseSync, prepare: (database: DatabaseSync) => void): DatabaseSync {
  try {
    prepare(database)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

const sqliteTypes: Readonly<Record<ColumnType, string>> = {
  text: 'TEXT',
  integer: 'INTEGER',
  real: 'REAL',
  time: 'TEXT',
  flag: 'INTEGER',
  json: 'TEXT',
  bytes: 'BLOB',
}

/** Adds the tables and columns that a file of an earlier version lacks. */
function addMissing(file: ArchiveFile, database: DatabaseSync): void {
  if (Number(database.prepare('PRAGMA user_version').get()?.user_version) === schemaVersion) return
  const own = Object.entries<Table>(tables).filter(([, table]) => table.file === file)
  const columns = database.prepare('SELECT name FROM pragma_table_info(?)')
  const added = own.flatMap(([name, table]) => {
    const known = new Set(columns.all(name).map((row) => row.name))
    if (known.size === 0) return [schemaOf(file, name)]
    const missing = Object.entries(table.columns).filter(([column]) => !known.has(column))
    return missing.map(([column, { type }]) => `ALTER TABLE ${name} ADD COLUMN ${column} ${sqliteTypes[type]};`)
  })
  database.exec(`BEGIN IMMEDIATE; ${added.join('\n')} PRAGMA user_version = ${schemaVersion}; COMMIT`)
}

/** The statements that create the tables of a file, or one of them. */
function schemaOf(file: ArchiveFile, only?: string): string {
  return Object.entries<Table>(tables)
    .filter(([name, table]) => table.file === file && (only ?? name) === name)
    .flatMap(([name, { columns, key, indexes = [], isOrdered }]) => {
      const lines = Object.entries(columns).map(
        ([column, { type, isRequired }]) => `${column} ${sqliteTypes[type]}${isRequired ? ' NOT NULL' : ''}`,
      )
      const options = isOrdered ? 'STRICT, WITHOUT ROWID' : 'STRICT'
      return [
        `CREATE TABLE ${name} (${lines.join(', ')}, PRIMARY KEY (${key.join(', ')})) ${options};`,
        ...indexes.map((index) => `CREATE INDEX ${name}_by_${index.join('_')} ON ${name} (${index.join(', ')});`),
      ]
    })
    .join('\n')
}
