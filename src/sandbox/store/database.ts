import { existsSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { UsageError } from '../../contract/index.js'
import { makeFolder, makePrivateFile } from '../../shared/directory.js'
import { parseNumbers } from '../../shared/json-number.js'
import { isDamaged, loadSqlite } from '../../shared/sqlite.js'
import { applicationId, formatVersion, schema, snapshotTables } from './schema.js'

type Parameter = string | number | null

/** One row as SQLite gives it: columns by name. */
export type Columns = Record<string, string | number | null>

/** Smaller files are read for damage when they are opened, at about 2 ms a megabyte. */
const maxCheckedBytes = 4 * 1024 * 1024

/**
 * One open SQLite file. Statements are prepared once and kept. Writes happen inside `write`, which takes the file's
 * write lock at once, so that two processes wait for each other instead of failing half-way.
 */
export class Database {
  readonly path: string
  private connection: DatabaseSync
  private readonly statements = new Map<string, StatementSync>()
  private depth = 0
  /** Number of statements so far that have changed something. */
  mutations = 0

  /** @throws {UsageError} if the file cannot be used, {@link DamagedFileError} if it is damaged */
  constructor(path: string) {
    this.path = path
    this.connection = this.open()
  }

  private open(): DatabaseSync {
    const { path } = this
    const { DatabaseSync } = loadSqlite()
    let connection: DatabaseSync
    try {
      if (path !== ':memory:') {
        makeFolder(dirname(path))
        makePrivateFile(path)
      }
      connection = new DatabaseSync(path, { timeout: 10_000 })
    } catch (error) {
      throw unusable(path, error)
    }
    this.connection = connection
    try {
      this.prepareFile()
    } catch (error) {
      connection.close()
      const named = withDamageNamed(path, error)
      throw named instanceof UsageError ? named : unusable(path, named)
    }
    return connection
  }

  private prepareFile(): void {
    this.refuseForeign()
    // Commits reach the operating system before an answer leaves, so that a killed process loses nothing it answered.
    this.connection.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY')
    // A larger cache slows writes down: whenever a tree has moved pages about, a commit walks through all of it.
    this.connection.exec('PRAGMA cache_size = -8192; PRAGMA mmap_size = 268435456; PRAGMA wal_autocheckpoint = 4000')
    if (this.pragma('user_version') !== formatVersion) this.write(() => this.create())
    const known = new Set(this.all("SELECT name FROM sqlite_schema WHERE type = 'table'").map(({ name }) => name))
    const missing = snapshotTables.find((table) => !known.has(table))
    if (missing !== undefined) throw damagedFile(this.path, new Error(`table ${missing} is missing`))
    const bytes = this.pragma('page_count') * this.pragma('page_size')
    const finding = bytes > maxCheckedBytes ? 'ok' : this.get('PRAGMA quick_check(1)')?.quick_check
    if (finding !== 'ok') throw damagedFile(this.path, new Error(findingOf(finding)))
  }

  private pragma(name: 'application_id' | 'user_version' | 'data_version' | 'page_count' | 'page_size'): number {
    return Number(this.get(`PRAGMA ${name}`)?.[name] ?? 0)
  }

  /** A file without any table is new. */
  private refuseForeign(): void {
    const owner = this.pragma('application_id')
    const version = this.pragma('user_version')
    const isNew = owner === 0 && version === 0 && this.get('SELECT 1 FROM sqlite_schema') === undefined
    if (owner === applicationId || isNew) return
    throw new UsageError(`${this.path} is a database of another program, not a sandbox file.`, {
      hint: 'Give the path of a sandbox file, of a file that does not exist yet, or :memory:.',
    })
  }

  private create(): void {
    const found = this.pragma('user_version')
    // Another process may have created it meanwhile.
    if (found === formatVersion) return
    if (found !== 0)
      throw new UsageError(
        `The sandbox file ${this.path} was written by a newer version of dlv: format ${found}, expected ${formatVersion}.`,
        { hint: 'Update dlv, or use another file.' },
      )
    this.connection.exec(schema)
  }

  /** Reads the whole file for damage. */
  isWhole(): boolean {
    return this.get('PRAGMA integrity_check(1)')?.integrity_check === 'ok'
  }

  /** Starts with an empty file in the place of a damaged one, which is kept under the name that is returned. */
  startOver(): string {
    this.close()
    const kept = setAside(this.path)
    this.connection = this.open()
    return kept
  }

  private statement(sql: string): StatementSync {
    const known = this.statements.get(sql)
    if (known !== undefined) return known
    const prepared = this.connection.prepare(sql)
    this.statements.set(sql, prepared)
    return prepared
  }

  get(sql: string, ...parameters: Parameter[]): Columns | undefined {
    return this.attempt(() => this.statement(sql).get(...parameters) as Columns | undefined)
  }

  all(sql: string, ...parameters: Parameter[]): Columns[] {
    return this.attempt(() => this.statement(sql).all(...parameters) as Columns[])
  }

  /** A stored JSON value. */
  json<Value>(text: Columns[string] | undefined): Value {
    try {
      return parseNumbers(String(text), 'input') as Value
    } catch (error) {
      throw damagedFile(this.path, error)
    }
  }

  run(sql: string, ...parameters: Parameter[]): { changes: number; lastInsertRowid: number } {
    this.mutations++
    const { changes, lastInsertRowid } = this.attempt(() => this.statement(sql).run(...parameters))
    return { changes: Number(changes), lastInsertRowid: Number(lastInsertRowid) }
  }

  /** Runs SQL that is not worth keeping prepared, such as `ATTACH`. */
  execute(sql: string): void {
    this.mutations++
    this.attempt(() => this.connection.exec(sql))
  }

  /** All of `work` or nothing of it. Within another `write` it joins that one. */
  write<T>(work: () => T): T {
    if (this.depth > 0) return work()
    this.attempt(() => this.connection.exec('BEGIN IMMEDIATE'))
    this.depth++
    try {
      const result = work()
      this.attempt(() => this.connection.exec('COMMIT'))
      return result
    } catch (error) {
      if (this.isWriting) this.connection.exec('ROLLBACK')
      throw error
    } finally {
      this.depth--
    }
  }

  /** Whether a transaction is under way: some errors, such as a full disk, end it. */
  get isWriting(): boolean {
    return this.connection.isTransaction
  }

  /** Changes when another process or connection has committed to the file; never by this one's own commits. */
  dataVersion(): number {
    return this.pragma('data_version')
  }

  private attempt<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw withDamageNamed(this.path, error)
    }
  }

  close(): void {
    if (!this.connection.isOpen) return
    this.statements.clear()
    this.connection.close()
  }
}

function unusable(path: string, error: unknown): UsageError {
  const reason = error instanceof Error ? error.message : String(error)
  return new UsageError(`The sandbox file ${path} cannot be used: ${reason}.`, {
    hint: 'Give the path of a writable sandbox file, or :memory: for none.',
    cause: error,
  })
}

/** A sandbox file whose content is not what was written to it. */
export class DamagedFileError extends UsageError {}

/** The error as a `DamagedFileError` if it says that the file is damaged; otherwise the error itself. */
function withDamageNamed(path: string, error: unknown): unknown {
  return isDamaged(error) ? damagedFile(path, error) : error
}

function damagedFile(path: string, cause?: unknown): DamagedFileError {
  const reason = cause instanceof Error ? `: ${cause.message}` : ''
  return new DamagedFileError(`The sandbox file ${path} is damaged${reason}.`, {
    hint: 'Restore a snapshot, or start it with { replaceDamaged: true } for an empty state. Either keeps the damaged file beside the new one.',
    cause,
  })
}

/** The finding of SQLite's integrity check, on one line, without the report's first line, which names the database. */
export function findingOf(report: unknown): string {
  return String(report).split('\n').at(-1) ?? ''
}

/** SQLite's primary result codes for a file that is read-only, fails to be read, is on a full disk or cannot be opened. */
const fileFailures: ReadonlySet<number> = new Set([8, 10, 13, 14])

/** Whether the file system refused something: a full disk, a missing right, a directory in the place of a file. */
export function isFileFailure(error: unknown): error is Error {
  if (!(error instanceof Error)) return false
  const { errcode, syscall } = error as NodeJS.ErrnoException & { errcode?: number }
  return errcode === undefined ? syscall !== undefined : fileFailures.has(errcode & 0xff)
}

/** Renames a damaged file and what SQLite keeps beside it. Answers with its new name. */
export function setAside(path: string): string {
  const kept = `${path}.damaged-${new Date().toISOString().replaceAll(':', '-')}`
  for (const suffix of ['', '-wal', '-shm']) if (existsSync(path + suffix)) renameSync(path + suffix, kept + suffix)
  return kept
}
