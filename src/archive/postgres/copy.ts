import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import {
  type Connection,
  connectPostgres,
  type DatabaseAccount,
  databaseError,
  inTransaction,
  parsePostgresAddress,
} from '../../postgres/index.js'
import { parseNumbers } from '../../shared/json-number.js'
import type { ArchiveFile } from '../database.js'
import { inflated } from '../event-rows.js'
import type { Table } from '../tables.js'
import type { ArchiveWriter } from '../writer.js'
import { type CopiedAccount, copiedTables, createSchemas, lockNumber, schemas, typed } from './schema.js'

/** Rows of one transaction. */
const pageRows = 500
const options = { timeoutMs: 60_000 }

/** Columns that another machine may have filled: a value there is never replaced by NULL. */
const keptValues: Readonly<Record<string, readonly string[]>> = {
  deliveries: ['window_start', 'window_end', 'promised_by', 'promise_source'],
  events: ['received_at', 'delivery_attempts', 'last_delivery_status', 'last_attempt_at'],
  order_texts: ['description', 'items', 'metadata'],
  orders: [
    'sent_at',
    'source_file',
    'source_row',
    'idempotency_key',
    'quote_id',
    'quoted_eta',
    'package',
    'verification',
  ],
}

/** Rows of several machines: the newer one stays. */
const newerBy: Readonly<Record<string, (row: string) => string>> = {
  deliveries: (row) => `${row}.seen_at`,
  drivers: (row) => `${row}.last_seen_at`,
  order_texts: (row) => `${row}.sent_at`,
  // By the clock of the machine: that of a sandbox may have been set back since.
  syncs: (row) => `${row}.to_at - coalesce(${row}.clock_ahead_ms, 0) * interval '1 millisecond'`,
}

interface CopyOptions {
  /** Address of the database, which begins with `postgres://`. */
  to: string
  env: NodeJS.ProcessEnv
  /** The account whose archive it is. */
  account: DatabaseAccount
  /** What this machine calls the account. */
  name: string
  signal: AbortSignal
  /** Remove what is forgotten here also where only another machine has copied it. */
  isForgetting?: boolean | undefined
  /** This process has copied to it before: people of others are removed only if something came. */
  isAgain?: boolean | undefined
  /** Told the number of copied rows after each page. */
  onProgress?: (rows: number) => void
}

/**
 * Copies what has changed in the archive since the last time into a PostgreSQL database, and creates its schemas there. From
 * the first time on, triggers note the keys of changed rows in the files, until these are copied. Rows of other accounts in
 * that database are neither read nor changed.
 *
 * @returns the number of rows
 * @throws UsageError or ConnectionError if the database cannot be used; what is not copied stays noted
 */
export async function copyArchive(
  writer: ArchiveWriter,
  { to, env, account: owner, name, isForgetting = false, isAgain = false, ...rest }: CopyOptions,
): Promise<number> {
  const address = parsePostgresAddress(to, env)
  const subject = `The archive ${address.shown}`
  const files: readonly (readonly [ArchiveFile, DatabaseSync | undefined])[] = [
    ['archive', writer.database],
    ['people', writer.people],
  ]
  let rows = 0
  const isDone = (database: DatabaseSync | undefined) => database === undefined || isCopied(database)
  if (!isForgetting && isAgain && files.every(([, database]) => isDone(database))) return rows
  const clears = writer.people === undefined && !(isAgain && isCopied(writer.database, 'syncs'))
  try {
    const connection = await connectPostgres(address, { applicationName: 'dlv sync' })
    try {
      const copied = await createSchemas(connection, subject, owner, name)
      for (const [file, database] of files) {
        if (database === undefined) {
          if (clears) await clearPeople(connection, copied)
        } else rows = await copyFile(database, file, connection, rows, { ...rest, copied })
      }
      if (isForgetting && writer.forgottenBefore !== '') await removeOlder(connection, copied, writer.forgottenBefore)
    } finally {
      await connection.close()
    }
  } catch (error) {
    throw databaseError(error, subject)
  }
  return rows
}

/** Whether what was copied before has everything that is in a file, but for one table. */
function isCopied(database: DatabaseSync, except = ''): boolean {
  const isNoted = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'copied_into'").get() !== undefined
  if (!isNoted) return false
  return database.prepare('SELECT 1 FROM uncopied WHERE name <> ? LIMIT 1').get(except) === undefined
}

/** An archive without personal data has none there either. */
async function clearPeople(connection: Connection, { account }: CopiedAccount): Promise<void> {
  for (const [name, { file }] of copiedTables)
    if (file === 'people')
      await connection.query(`DELETE FROM ${schemas.people}.${name} WHERE account = $1`, [account], options)
}

/**
 * Notes changed rows from now on, and all rows that are there if nothing was copied to this account in this database.
 *
 * @returns another account of the database as which the rows were copied before it proved to be this one
 */
function noteChanges(database: DatabaseSync, file: ArchiveFile, { account, copy }: CopiedAccount): string | undefined {
  database.exec(`CREATE TABLE IF NOT EXISTS copied_into (copy TEXT NOT NULL, account TEXT NOT NULL, former TEXT) STRICT;
    CREATE TABLE IF NOT EXISTS uncopied (name TEXT NOT NULL, row TEXT NOT NULL, PRIMARY KEY (name, row)) STRICT, WITHOUT ROWID`)
  const before = database.prepare('SELECT copy, account, former FROM copied_into').get()
  const formerOf = (value: SQLOutputValue | undefined) => (typeof value === 'string' ? value : undefined)
  const triggers = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").all()
  const noted = new Set(triggers.map(({ name }) => name))
  const isSame = before?.copy === copy
  // A table that came with a later version is not noted yet.
  const own = copiedTables.filter(([name, table]) => table.file === file && !(isSame && noted.has(`${name}_on_INSERT`)))
  if (isSame && own.length === 0) return formerOf(before.former)
  const former = isSame ? formerOf(before.former) : before?.account === account ? undefined : formerOf(before?.account)
  const keyOf = ({ key }: Table, from: string) => `json_array(${key.map((column) => `${from}${column}`).join(', ')})`
  const statements = own.flatMap(([name, table]) => [
    ...[
      ['INSERT', 'NEW.'],
      ['UPDATE', 'NEW.'],
      ['DELETE', 'OLD.'],
    ].map(
      ([event, row = '']) =>
        `CREATE TRIGGER IF NOT EXISTS ${name}_on_${event} AFTER ${event} ON ${name} BEGIN
           INSERT INTO uncopied VALUES ('${name}', ${keyOf(table, row)}) ON CONFLICT DO NOTHING; END`,
    ),
    `INSERT OR IGNORE INTO uncopied SELECT '${name}', ${keyOf(table, '')} FROM ${name}`,
  ])
  database.exec(`BEGIN IMMEDIATE; ${statements.join(';\n')}; DELETE FROM copied_into; COMMIT`)
  database.prepare('INSERT INTO copied_into VALUES (?, ?, ?)').run(copy, account, former ?? null)
  return former
}

async function copyFile(
  database: DatabaseSync,
  file: ArchiveFile,
  connection: Connection,
  before: number,
  { signal, onProgress, copied }: Pick<CopyOptions, 'signal' | 'onProgress'> & { copied: CopiedAccount },
): Promise<number> {
  const former = noteChanges(database, file, copied)
  const { account } = copied
  let rows = before
  for (const [name, table] of copiedTables) {
    if (table.file !== file) continue
    const statements = statementsOf(name, table)
    const changed = database.prepare(statements.changed)
    const done = database.prepare('DELETE FROM uncopied WHERE name = ? AND row = ?')
    for (;;) {
      if (signal.aborted) return rows
      const page = changed.all()
      if (page.length === 0) break
      const isThere = (row: Record<string, SQLOutputValue>) => row[table.key[0] ?? ''] !== null
      const there = jsonOf(page.filter(isThere).map((row) => valuesOf(row, table)))
      const keysOf = (some: typeof page) =>
        jsonOf(
          some.map((row) => {
            const values = JSON.parse(String(row.uncopied_row)) as unknown[]
            return Object.fromEntries(table.key.map((column, at) => [column, values[at]]))
          }),
        )
      await inTransaction(connection, options, async () => {
        // Machines that copy at the same time take turns.
        await connection.query(`SELECT pg_advisory_xact_lock(${lockNumber})`, [], options)
        await connection.query(statements.put, [there, account], options)
        if (name === 'forgotten') await removeForgotten(connection, copied)
        await connection.query(statements.remove, [keysOf(page.filter((row) => !isThere(row))), account], options)
        if (former !== undefined) await connection.query(statements.remove, [keysOf(page), former], options)
      })
      // Killed before this, the page is copied once more, which changes nothing.
      database.exec('BEGIN IMMEDIATE')
      for (const { uncopied_row } of page) done.run(name, String(uncopied_row))
      database.exec('COMMIT')
      rows += page.length
      onProgress?.(rows)
    }
  }
  if (former !== undefined) database.exec('UPDATE copied_into SET former = NULL')
  return rows
}

/** The orders of forgotten deliveries. */
const forgottenReferences = `SELECT d.client_order_reference FROM ${schemas.archive}.deliveries d
  JOIN ${schemas.archive}.forgotten f USING (account, delivery_id) WHERE account =`

/** Removes the account's personal data of forgotten deliveries, also what its other machines have copied. */
async function removeForgotten(connection: Connection, { account }: CopiedAccount): Promise<void> {
  await connection.query(
    `DELETE FROM ${schemas.people}.order_texts WHERE account = $1 AND client_order_reference IN (${forgottenReferences} $1)`,
    [account],
    options,
  )
  for (const [name, { file, columns }] of copiedTables)
    if (file === 'people' && 'delivery_id' in columns)
      await connection.query(
        `DELETE FROM ${schemas.people}.${name} WHERE account = $1
           AND delivery_id IN (SELECT delivery_id FROM ${schemas.archive}.forgotten WHERE account = $1)`,
        [account],
        options,
      )
}

/** Removes the account's personal data of deliveries and drivers from before a time, whichever machine has copied it. */
async function removeOlder(connection: Connection, { account }: CopiedAccount, before: string): Promise<void> {
  const { archive, people } = schemas
  const older = `delivery_id IN (SELECT delivery_id FROM ${archive}.deliveries WHERE account = $2 AND coalesce(created_at, seen_at) < $1)`
  for (const rows of [
    `people WHERE ${older}`,
    `bodies WHERE (${older} OR (delivery_id IS NULL AND at < $1))`,
    `order_texts WHERE sent_at < $1`,
    `driver_people WHERE driver_id IN (SELECT driver_id FROM ${archive}.drivers WHERE account = $2 AND last_seen_at < $1)`,
  ])
    await connection.query(`DELETE FROM ${people}.${rows} AND account = $2`, [before, account], options)
}

function statementsOf(name: string, table: Table) {
  const { key } = table
  const at = `${schemas[table.file]}.${name}`
  const columns = Object.keys(table.columns)
  const given = (names: readonly string[]) =>
    `jsonb_to_recordset($1::jsonb) AS r(${names.map((column) => typed(table, column)).join(', ')})`
  const kept = keptValues[name] ?? []
  const sets = columns
    .filter((column) => !key.includes(column))
    .map(
      (column) =>
        `${column} = ${kept.includes(column) ? `coalesce(excluded.${column}, t.${column})` : `excluded.${column}`}`,
    )
  const newer = newerBy[name]
  // What another machine has forgotten stays forgotten.
  const unforgotten =
    table.file === 'people' && 'delivery_id' in table.columns
      ? `WHERE NOT EXISTS (SELECT 1 FROM ${schemas.archive}.forgotten f WHERE f.account = $2 AND f.delivery_id = r.delivery_id)`
      : name === 'order_texts'
        ? `WHERE r.client_order_reference NOT IN (${forgottenReferences} $2 AND d.client_order_reference IS NOT NULL)`
        : ''
  return {
    changed: `SELECT u.row AS uncopied_row, t.* FROM (SELECT row FROM uncopied WHERE name = '${name}' LIMIT ${pageRows}) u
      LEFT JOIN ${name} t ON ${key.map((column, index) => `t.${column} = json_extract(u.row, '$[${index}]')`).join(' AND ')}`,
    put: `INSERT INTO ${at} AS t (account, ${columns.join(', ')}) SELECT $2, ${columns.join(', ')} FROM ${given(columns)} ${unforgotten}
      ON CONFLICT (account, ${key.join(', ')}) DO UPDATE SET ${sets.join(', ')}${newer === undefined ? '' : ` WHERE ${newer('excluded')} >= ${newer('t')}`}`,
    remove: `DELETE FROM ${at} AS t USING ${given(key)} WHERE t.account = $2 AND ${key.map((column) => `t.${column} = r.${column}`).join(' AND ')}`,
  }
}

/** A row of SQLite as PostgreSQL reads it from JSON. */
function valuesOf(row: Record<string, SQLOutputValue>, { columns }: Table): Record<string, unknown> {
  const values = Object.entries(columns).map(([column, { type }]) => {
    const value = row[column] ?? null
    if (value === null) return [column, null]
    if (type === 'flag') return [column, value === 1]
    if (type === 'json') return [column, parseNumbers(String(value), 'answer')]
    if (type === 'time') return [column, timeOf(String(value))]
    if (value instanceof Uint8Array) return [column, Buffer.from(inflated(value)).toString()]
    return [column, value]
  })
  return Object.fromEntries(values)
}

/** PostgreSQL reads no years of more than four digits with a sign. */
function timeOf(text: string): string {
  if (/^\d{4}-/.test(text)) return text
  return text.startsWith('-') ? '-infinity' : 'infinity'
}

/** JSON that PostgreSQL takes: it has no NUL and no half of a surrogate pair. */
function jsonOf(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'string' ? member.toWellFormed().replaceAll('\0', '\uFFFD') : member,
  )
}
