import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { UsageError } from '../shared/dlv-error.js'
import { isDamaged, loadSqlite } from '../shared/sqlite.js'
import { excerpt } from '../shared/texts.js'
import { type ArchivePaths, archiveError, attachForReading, naming, openForReading } from './database.js'
import { inflated } from './event-rows.js'
import { archiveSchema, schemaHint } from './relations.js'

/** The largest value that a query may make, in bytes. */
const valueBytesMax = 64 * 1_048_576

export type QueryParameter = string | number | bigint

const SQLITE_READONLY = 8
const SQLITE_AUTH = 23

/** A statement of the user, and what it may read. */
export interface ArchiveQuery {
  paths: ArchivePaths
  /** The archives of several accounts instead: each table and view has the rows of all, with the column `profile`. */
  accounts?: readonly AccountArchive[] | undefined
  sql: string
  parameters: Readonly<Record<string, QueryParameter>>
  /** Attach the file with personal data. */
  withPeople: boolean
}

interface QueryResult {
  columns: string[]
  rows: Iterable<unknown[]>
}

/**
 * Runs one statement of the user. The database only reads: the files are opened read-only, and what returns no rows, such
 * as `ATTACH`, is compiled but never executed. It can run for as long as it likes: the caller ends the process.
 *
 * @throws UsageError with SQLite's own message, or that names a damaged file
 */
export function runQuery(query: ArchiveQuery): QueryResult {
  return naming(query.withPeople ? query.paths : query.paths.archive, 'read', () => begun(query))
}

function begun({ paths, accounts, sql, parameters, withPeople }: ArchiveQuery): QueryResult {
  const database =
    accounts === undefined ? openForReading('archive', paths.archive) : openTogether(accounts, sql, withPeople)
  if (withPeople && accounts === undefined) {
    openForReading('people', paths.people).close()
    // Attached files inherit the connection's read-only mode.
    attachForReading(database, paths.people, 'people')
  }
  database.function('inflate', { deterministic: true }, (body) =>
    body instanceof Uint8Array ? Buffer.from(inflated(body, valueBytesMax)).toString() : body,
  )
  restrict(database)
  const statement = compiledAlone(database, sql)
  const columns = distinct(statement.columns().map(({ name }) => name))
  if (columns.length === 0)
    throw new UsageError('This statement returns no rows; dlv query only reads.', {
      hint: 'Use SELECT, WITH … SELECT or EXPLAIN QUERY PLAN.',
    })
  statement.setReturnArrays(true)
  statement.setReadBigInts(true)
  checkParameters(statement, sql, parameters)
  return { columns, rows: rowsOf(statement, { paths, parameters, withPeople }) }
}

/** Functions of `DatabaseSync` that the oldest Node which runs this lacks. */
interface NewerDatabase {
  limits?: { attach: number; length: number }
  setAuthorizer?: (allow: (action: number, name: string | null) => number) => void
}

/** Action codes of `sqlite3_set_authorizer`. */
const action = { pragma: 19, read: 20, select: 21, attach: 24, detach: 25, function: 31, recursive: 33 }
/** `ATTACH` is compiled, and then refused as a statement without rows, in plainer words than "not authorized". */
const allowed = [action.read, action.select, action.function, action.recursive, action.attach, action.detach]
const [SQLITE_OK, SQLITE_DENY] = [0, 1]

function restrict(database: DatabaseSync & NewerDatabase): void {
  database.exec('PRAGMA query_only = ON')
  if (database.limits !== undefined) Object.assign(database.limits, { attach: 0, length: valueBytesMax })
  database.setAuthorizer?.((code, name) => {
    const isInspection = code === action.pragma && inspections.includes(name ?? '')
    return isInspection || allowed.includes(code) ? SQLITE_OK : SQLITE_DENY
  })
}

const inspections = [
  'table_list',
  'table_info',
  'table_xinfo',
  'index_list',
  'index_info',
  'index_xinfo',
  'function_list',
]

/** Compiles a statement. Throws `UsageError` if there are several, none, or SQLite cannot. */
function compiledAlone(database: DatabaseSync, sql: string): StatementSync {
  const statement = compiled(database, sql)
  if (statement === undefined) throw new UsageError('The query is empty.', { hint: 'Print some with --examples.' })
  if (hasStatement(database, sql.slice(statement.sourceSQL.length)))
    throw new UsageError('Only one statement a query.', { hint: 'Run dlv query once for each.' })
  return statement
}

function hasStatement(database: DatabaseSync, rest: string): boolean {
  if (rest.includes('\0')) return true
  try {
    return compiled(database, rest) !== undefined
  } catch {
    return true
  }
}

/** `undefined` for a text that holds comments at most. */
function compiled(database: DatabaseSync, sql: string): StatementSync | undefined {
  try {
    const statement = database.prepare(sql)
    return isFinalized(statement) ? undefined : statement
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw sqlError(error)
  }
}

/** Older Nodes return a statement for nothing. */
function isFinalized(statement: StatementSync): boolean {
  try {
    statement.columns()
    return false
  } catch {
    return true
  }
}

/** SQLite binds NULL to a parameter without a value, and finds nothing: say so instead. */
function checkParameters(statement: StatementSync, sql: string, given: ArchiveQuery['parameters']): void {
  const isKnown = (name: string) => {
    try {
      statement.iterate({ [name]: null })
      return true
    } catch {
      return false
    }
  }
  for (const name of Object.keys(given))
    if (!isKnown(name))
      throw new UsageError(`--param ${name}: the query has no parameter :${name}.`, {
        hint: `Write :${name} where its value belongs.`,
      })
  const missing = [...sql.matchAll(/[:@$]([A-Za-z_]\w*)/g)].find(
    ([parameter, name = '']) => !Object.hasOwn(given, name) && isKnown(parameter),
  )?.[1]
  if (missing !== undefined)
    throw new UsageError(`The query needs a value for :${missing}.`, { hint: `Add --param ${missing}=VALUE.` })
}

function* rowsOf(statement: StatementSync, query: Omit<ArchiveQuery, 'sql'>): Generator<unknown[]> {
  try {
    for (const row of statement.iterate(query.parameters) as unknown as Iterable<unknown[]>)
      yield row.map(readableValue)
  } catch (error) {
    throw isDamaged(error)
      ? archiveError(query.withPeople ? query.paths : query.paths.archive, 'read', error)
      : sqlError(error)
  }
}

/** Integers that a number holds exactly are numbers; bytes are hexadecimal, as SQLite's `hex` prints them. */
function readableValue(value: unknown): unknown {
  if (typeof value === 'bigint') {
    const number = Number(value)
    return Number.isSafeInteger(number) ? number : value
  }
  if (!(value instanceof Uint8Array)) return value
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')
}

/** Names for a row as an object: of two equal ones, the second gets a number. */
export function distinct(names: readonly string[]): string[] {
  const used = new Map<string, number>()
  return names.map((name) => {
    const times = (used.get(name) ?? 0) + 1
    used.set(name, times)
    return times === 1 ? name : `${name}_${times}`
  })
}

function sqlError(error: unknown): unknown {
  if (error instanceof UsageError || !(error instanceof Error) || isDamaged(error)) return error
  const code = 'errcode' in error ? Number(error.errcode) & 0xff : 0
  // The tables of several accounts are views.
  const isWrite = /^cannot modify \w+ because it is a view/.test(error.message)
  if (isWrite || code === SQLITE_READONLY || code === SQLITE_AUTH)
    return new UsageError(`dlv query only reads: ${excerpt(error.message, 500)}.`, { cause: error })
  const [, what, name = ''] = /^no such (table|column): (?:\w+\.)?(\w+)$/.exec(error.message) ?? []
  return new UsageError(`${excerpt(error.message, 500)}.`, {
    hint: schemaHint(what === 'column' ? what : 'table', name),
    cause: error,
  })
}

/** The archive of one of several accounts. */
interface AccountArchive {
  profile: string
  paths: ArchivePaths
}

/** Files that one connection of SQLite may read; it is compiled into it. */
const filesMax = 10

/**
 * Opens the archives of several accounts as one database: its tables and views have the rows of all, and a first column
 * `profile`. A few files are read where they are; of more, what the statement names is copied into a temporary file, which
 * SQLite removes.
 *
 * @throws UsageError that names a file which cannot be read
 */
function openTogether(accounts: readonly AccountArchive[], sql: string, withPeople: boolean): DatabaseSync {
  const { DatabaseSync } = loadSqlite()
  for (const { paths } of accounts) {
    openForReading('archive', paths.archive).close()
    if (withPeople) openForReading('people', paths.people).close()
  }
  const database = new DatabaseSync('', { timeout: 5_000 })
  const relations = archiveSchema().filter(({ file }) => withPeople || file !== 'people')
  if (accounts.length * (withPeople ? 2 : 1) > filesMax)
    copyAll(
      database,
      accounts,
      relations.filter(({ name }) => new RegExp(`\\b${name}\\b`, 'i').test(sql)),
      withPeople,
    )
  else {
    for (const [at, account] of accounts.entries()) attach(database, account, at, withPeople)
    for (const { name, file } of relations) {
      const parts = accounts.map(({ profile }, at) => rowsOfAccount(profile, `${file}_${at}.${name}`))
      database.exec(`CREATE TEMP VIEW ${name} AS ${parts.join(' UNION ALL ')}`)
    }
  }
  return database
}

function attach(database: DatabaseSync, { paths }: AccountArchive, at: number, withPeople: boolean): void {
  attachForReading(database, paths.archive, `archive_${at}`)
  if (withPeople) attachForReading(database, paths.people, `people_${at}`)
}

/** Copies relations of each account, one account after the other. */
function copyAll(
  database: DatabaseSync,
  accounts: readonly AccountArchive[],
  relations: ReturnType<typeof archiveSchema>,
  withPeople: boolean,
): void {
  for (const [at, account] of accounts.entries()) {
    attach(database, account, at, withPeople)
    for (const { name, file } of relations) {
      const rows = rowsOfAccount(account.profile, `${file}_${at}.${name}`)
      database.exec(at === 0 ? `CREATE TABLE main.${name} AS ${rows}` : `INSERT INTO main.${name} ${rows}`)
    }
    database.exec(`DETACH archive_${at}`)
    if (withPeople) database.exec(`DETACH people_${at}`)
  }
}

function rowsOfAccount(profile: string, relation: string): string {
  return `SELECT '${profile.replaceAll("'", "''")}' AS profile, * FROM ${relation}`
}
