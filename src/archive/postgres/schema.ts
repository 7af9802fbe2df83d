/** The archive in a PostgreSQL database: the tables and views of the file, and personal data in a schema of its own. */
import { hash } from 'node:crypto'
import { type Connection, type DatabaseAccount, inTransaction, markInDatabase } from '../../postgres/index.js'
import { UsageError } from '../../shared/dlv-error.js'
import { tryParseJson } from '../../shared/json.js'
import type { ArchiveFile } from '../database.js'
import { type ColumnType, type Table, tables } from '../tables.js'
import { viewStatements, views } from '../views.js'

export const schemas: Readonly<Record<ArchiveFile, string>> = { archive: 'dlv_archive', people: 'dlv_archive_people' }

/** The version of the tables in PostgreSQL. Since the second, each row has its account. */
const format = 2

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

/** The tables and views of the copy, with the columns that they have in a file. */
export const copiedRelations: readonly { name: string; file: ArchiveFile; columns: readonly string[] }[] = [
  ...copiedTables.map(([name, { file, columns }]) => ({ name, file, columns: Object.keys(columns) })),
  ...Object.entries(views).map(([name, { columns }]) => ({
    name,
    file: 'archive' as const,
    columns: Object.keys(columns),
  })),
]

/** A column with its type, as `CREATE TABLE` and `jsonb_to_recordset` take it. */
export function typed(table: Table, column: string): string {
  return `${column} ${types[table.columns[column]?.type ?? 'text']}`
}

/** The column of every table and view that says whose a row is. */
const accountColumn = 'account text COLLATE "C"'

function creation(): string {
  const created = copiedTables.flatMap(([name, table]) => {
    const at = `${schemas[table.file]}.${name}`
    const lines = Object.entries(table.columns).map(
      ([column, { isRequired }]) => `${typed(table, column)}${isRequired ? ' NOT NULL' : ''}`,
    )
    const columns = [`${accountColumn} NOT NULL`, ...lines]
    return [
      `CREATE TABLE IF NOT EXISTS ${at} (${columns.join(', ')}, PRIMARY KEY (account, ${table.key.join(', ')}))`,
      // A version before may have created it.
      `ALTER TABLE ${at} ${lines.map((line) => `ADD COLUMN IF NOT EXISTS ${line}`).join(', ')}`,
      ...(table.indexes ?? []).map(
        (index) => `CREATE INDEX IF NOT EXISTS ${name}_by_${index.join('_')} ON ${at} (account, ${index.join(', ')})`,
      ),
    ]
  })
  const parts = Object.values(schemas).map((schema) => `CREATE SCHEMA IF NOT EXISTS ${schema}`)
  const accounts = `CREATE TABLE IF NOT EXISTS ${schemas.archive}.accounts (${accountColumn} PRIMARY KEY, name text NOT NULL, service text NOT NULL, copy text NOT NULL DEFAULT md5(random()::text || clock_timestamp()::text))`
  const path = `SET LOCAL search_path = ${schemas.archive}`
  return [...parts, accounts, ...created, path, ...viewStatements('postgres')].join(';\n')
}

/** The comment on the schema: its format, and what it was created by. */
interface Mark {
  format: number
  /** Fingerprint of the tables and views. */
  definition: string
}

/** An account in the copy. */
export interface CopiedAccount {
  /** Its mark in this database. */
  account: string
  /** Random: another one if the schemas were removed and created again, or restored without it. */
  copy: string
}

/**
 * Creates the schemas, or replaces the views of another version, and names the account in them.
 *
 * @param owner the account whose archive is copied
 * @param name what this machine calls the account
 * @throws UsageError if it was written by a newer version, or by one whose rows have no account
 */
export async function createSchemas(
  connection: Connection,
  subject: string,
  owner: DatabaseAccount,
  name: string,
): Promise<CopiedAccount> {
  const statements = creation()
  const wanted: Mark = { format, definition: hash('sha256', statements) }
  const found = await markOf(connection, subject)
  const options = { timeoutMs: 60_000 }
  if (found?.definition !== wanted.definition)
    await inTransaction(connection, options, async () => {
      await connection.query(`SELECT pg_advisory_xact_lock(${lockNumber})`, [], options)
      await connection.query(statements, [], options)
      const comment = JSON.stringify(wanted).replaceAll("'", "''")
      await connection.query(`COMMENT ON SCHEMA ${schemas.archive} IS '${comment}'`, [], options)
    })
  const account = await markInDatabase(connection, owner, subject)
  const [row] = await connection.query(
    `INSERT INTO ${schemas.archive}.accounts (account, name, service) VALUES ($1, $2, $3)
     ON CONFLICT (account) DO UPDATE SET name = excluded.name RETURNING copy`,
    [account, name, owner.service],
  )
  return { account, copy: String(row?.copy) }
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
  if (mark.format < format)
    throw new UsageError(`${subject} was written by an older dlv, whose rows do not say whose they are.`, {
      hint: `Remove it (DROP SCHEMA ${schemas.archive}, ${schemas.people} CASCADE); the next copy writes everything again.`,
    })
  if (mark.format > format)
    throw new UsageError(`${subject} was written by a newer dlv (version ${mark.format}; this one reads ${format}).`, {
      hint: 'Update dlv on this machine.',
    })
  return mark
}
