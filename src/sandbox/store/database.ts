import { closeSync, existsSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { UsageError } from '../../contract/index.js'
import { makeFolder } from '../../shared/directory.js'
import { migrations } from './schema.js'
import { loadSqlite } from './sqlite.js'

type Parameter = string | number | null

/** One row as SQLite gives it: columns by name. */
export type Columns = Record<string, string | number | null>

/**
 * One open SQLite file. Statements are prepared once and kept. Writes happen inside `write`, which takes the file's
 * write lock at once, so that two processes wait for each other instead of failing half-way.
 */
export class Database {
  readonly path: string
  private readonly connection: DatabaseSync
  private readonly statements = new Map<string, StatementSync>()
  private depth = 0
  /** How many statements have changed something so far. */
  mutations = 0

  constructor(path: string) {
    this.path = path
    const { DatabaseSync } = loadSqlite()
    try {
      const isNewFile = path !== ':memory:' && !existsSync(path)
      if (isNewFile) makeFolder(dirname(path))
      // Made for its owner alone from the start; not every file system lets that be changed afterwards.
      if (isNewFile) closeSync(openSync(path, 'a', 0o600))
      this.connection = new DatabaseSync(path, { timeout: 10_000 })
    } catch (error) {
      throw unusable(path, error)
    }
    try {
      this.prepareFile()
    } catch (error) {
      this.connection.close()
      throw error instanceof UsageError ? error : unusable(path, error)
    }
  }

  private prepareFile(): void {
    // Commits reach the operating system before an answer leaves, so that a killed process loses nothing it answered.
    this.connection.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY')
    this.connection.exec('PRAGMA cache_size = -65536; PRAGMA mmap_size = 268435456; PRAGMA wal_autocheckpoint = 4000')
    if (this.version() === migrations.length) return
    this.write(() => this.migrate())
  }

  private version(): number {
    return Number(this.get('PRAGMA user_version')?.user_version ?? 0)
  }

  private migrate(): void {
    const found = this.version()
    if (found > migrations.length) {
      throw new UsageError(
        `The sandbox file ${this.path} was written by a newer version of dlv (format ${found}, this one knows ${migrations.length}).`,
        { hint: 'Update dlv, or start with another file.' },
      )
    }
    for (const step of migrations.slice(found)) this.connection.exec(step)
    this.connection.exec(`PRAGMA user_version = ${migrations.length}`)
  }

  private statement(sql: string): StatementSync {
    const known = this.statements.get(sql)
    if (known !== undefined) return known
    const prepared = this.connection.prepare(sql)
    this.statements.set(sql, prepared)
    return prepared
  }

  get(sql: string, ...parameters: Parameter[]): Columns | undefined {
    return this.statement(sql).get(...parameters) as Columns | undefined
  }

  all(sql: string, ...parameters: Parameter[]): Columns[] {
    return this.statement(sql).all(...parameters) as Columns[]
  }

  run(sql: string, ...parameters: Parameter[]): { changes: number; lastInsertRowid: number } {
    this.mutations++
    const { changes, lastInsertRowid } = this.statement(sql).run(...parameters)
    return { changes: Number(changes), lastInsertRowid: Number(lastInsertRowid) }
  }

  /** Runs SQL that is not worth keeping prepared, such as `ATTACH`. */
  execute(sql: string): void {
    this.mutations++
    this.connection.exec(sql)
  }

  /** All of `work` or nothing of it. Within another `write` it joins that one. */
  write<T>(work: () => T): T {
    if (this.depth > 0) return work()
    this.connection.exec('BEGIN IMMEDIATE')
    this.depth++
    try {
      const result = work()
      this.connection.exec('COMMIT')
      return result
    } catch (error) {
      if (this.connection.isTransaction) this.connection.exec('ROLLBACK')
      throw error
    } finally {
      this.depth--
    }
  }

  /** Changes when another process or connection has committed to the file; never by this one's own commits. */
  dataVersion(): number {
    return Number(this.get('PRAGMA data_version')?.data_version ?? 0)
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
