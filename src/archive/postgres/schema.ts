/** The archive in a PostgreSQL database: the tables and views of the file, and personal data in a schema of its own. */
import { hash } from 'node:crypto'
import { type Connection, type DatabaseAccount, inTransaction, markInDatabase } from '../../postgres/index.js'
import { UsageError } from '../../shared/dlv-error.js'
import { tryParseJson } from '../../shared/json.js'
import type { ArchiveFile } from '../database.js'
import { type ColumnType, type Table, tables } from '../tables.js'
import { viewStatements } from '../views.js'

export const schemas: Readonly<Record<ArchiveFile, string>> = { archive: 'dlv_archive', people: 'dlv_archive_people' }

/** The version of the tables in PostgreSQL. */
const format = 1

/** Any number that other programs are unlikely to lock; `dlvA`. */
export const lockNumber = 0x646c7641

/** Bodies are not compressed there: whoever reads them with `psql` gets JSON. */
const types: Readonly<Record<ColumnType, string>> = {
  text: 'text',
  integer: 'bigint',
  real: 'double precision',
  time: 'timestamptz',
  flag: 'boolean',
  json: 'jsonb',
  bytes: 'text',
}

/** The tables that are copied. Settings and counts are those of one machine. */
export const copiedTables: readonly (readonly [name: string, table: Table])[] = Object.entries<Table>(tables).filter(
  ([name]) => name !== 'settings' && name !== 'event_counts',
)

/** A column with its type, as `CREATE TABLE` and `jsonb_to_recordset` take it. */
export function typed(table: Table, column: string): string {
  return `${column} ${types[table.columns[column]?.type ?? 'text']}`
}

function creation(): string {
  const created = copiedTables.flatMap(([name, table]) => {
    const at = `${schemas[table.file]}.${name}`
    const lines = Object.entries(table.columns).map(
      ([column, { isRequired }]) => `${typed(table, column)}${isRequired ? ' NOT NULL' : ''}`,
    )
    return [
      `CREATE TABLE IF NOT EXISTS ${at} (${lines.join(', ')}, PRIMARY KEY (${table.key.join(', ')}))`,
      // A version before may have created it.
      `ALTER TABLE ${at} ${lines.map((line) => `ADD COLUMN IF NOT EXISTS ${line}`).join(', ')}`,
      ...(table.indexes ?? []).map(
        (index) => `CREATE INDEX IF NOT EXISTS ${name}_by_${index.join('_')} ON ${at} (${index.join(', ')})`,
      ),
    ]
  })
  const parts = Object.values(schemas).map((schema) => `CREATE SCHEMA IF NOT EXISTS ${schema}`)
  return [...parts, ...created, `SET LOCAL search_path = ${schemas.archive}`, ...viewStatements('postgres')].join(';\n')
}

/** The comment on the schema: its format, and the account that it is of. */
interface Mark {
  format: number
  /** Fingerprint of the tables and views. */
  definition: string
  /** Base URL of the service. */
  service: string
  /** The account's mark in this database. */
  account?: string | undefined
}

/**
 * Creates the schemas, or replaces the views of another version.
 *
 * @param service the base URL of the service whose archive it is
 * @throws UsageError if it holds the archive of another account or service, or was written by a newer version
 */
export async function createSchemas(
  connection: Connection,
  service: string,
  subject: string,
  owner?: DatabaseAccount,
): Promise<void> {
  const statements = creation()
  const account = owner === undefined ? undefined : await markInDatabase(connection, owner, subject)
  const wanted: Mark = { format, definition: hash('sha256', statements), service, account }
  const found = await markOf(connection, subject)
  if (found?.account !== undefined && account !== undefined && found.account !== account)
    throw new UsageError(`${subject} is that of another account of ${service}.`, {
      hint: 'Use a database of its own for each account. If it is the same account, with a key that nobody could recognize: dlv profiles add NAME --same-account on the machine that copied first.',
    })
  if (found !== undefined && found.service !== service)
    throw new UsageError(`${subject} is that of ${found.service}, not of ${service}.`, {
      hint: 'Use a database of its own for each account.',
    })
  if (found?.definition === wanted.definition && (account === undefined || found.account === account)) return
  const options = { timeoutMs: 60_000 }
  await inTransaction(connection, options, async () => {
    await connection.query(`SELECT pg_advisory_xact_lock(${lockNumber})`, [], options)
    await connection.query(statements, [], options)
    const comment = JSON.stringify(wanted).replaceAll("'", "''")
    await connection.query(`COMMENT ON SCHEMA ${schemas.archive} IS '${comment}'`, [], options)
  })
}

/** The mark of an archive; `undefined` if the database has none. */
export async function markOf(connection: Connection, subject: string): Promise<Mark | undefined> {
  const [row] = await connection.query(
    `SELECT coalesce(obj_description(oid, 'pg_namespace'), '') AS comment FROM pg_namespace WHERE nspname = $1`,
    [schemas.archive],
  )
  if (row === undefined) return undefined
  const mark = tryParseJson(String(row.comment))?.value as Mark | undefined
  if (typeof mark?.format !== 'number')
    throw new UsageError(`${subject} has a schema ${schemas.archive} that dlv did not create.`, {
      hint: 'Use another database, or drop the schema.',
    })
  if (mark.format > format)
    throw new UsageError(`${subject} was written by a newer dlv (version ${mark.format}; this one reads ${format}).`, {
      hint: 'Update dlv on this machine.',
    })
  return mark
}
