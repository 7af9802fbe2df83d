import { UsageError } from '../shared/dlv-error.js'
import type { Connection } from './connection.js'
import { inTransaction } from './settings.js'

/** The tables of one part of the program, and their migrations. */
export interface Migrations {
  /** The part: `journal`. */
  component: string
  /**
   * The statements of each format, oldest first. They only add: a program that knows fewer formats keeps working, unless
   * `minWriter` says otherwise.
   */
  formats: readonly string[]
  /** The oldest format whose program may still write. */
  minWriter: number
  /** Tables that must be there. */
  tables: readonly string[]
  /** The database's name in messages: `The journal postgres://…`. */
  subject: string
}

/** Any number that other programs are unlikely to lock; `dlvM`. */
const lockClass = 0x646c764d

/**
 * Creates or completes the tables; programs that start together do it one after another.
 *
 * @throws UsageError if a newer program has changed them so that this one may not write, or one is missing
 */
export async function migrate(connection: Connection, migrations: Migrations): Promise<void> {
  const { component, formats } = migrations
  if ((await formatOf(connection, migrations)) < formats.length) {
    // One after another, with time for whoever is creating indexes.
    const options = { timeoutMs: 60_000 }
    await inTransaction(connection, options, async () => {
      await connection.query(`SELECT pg_advisory_xact_lock(${lockClass}, 0)`, [], options)
      await connection.query('CREATE SCHEMA IF NOT EXISTS dlv', [], options)
      await connection.query(
        'CREATE TABLE IF NOT EXISTS dlv.meta (name text PRIMARY KEY, value text NOT NULL)',
        [],
        options,
      )
      const found = await formatOf(connection, migrations)
      for (const statements of formats.slice(found)) await connection.query(statements, [], options)
      if (found < formats.length) {
        const setMeta = `INSERT INTO dlv.meta VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value`
        await connection.query(setMeta, [`${component}.format`, String(formats.length)], options)
        await connection.query(setMeta, [`${component}.min_writer`, String(migrations.minWriter)], options)
      }
    })
  }
  await checkTables(connection, migrations)
}

/**
 * Whether the tables are there and may be read and written by this program.
 *
 * @throws UsageError if a newer program has changed them, or one is missing
 */
export async function isMigrated(connection: Connection, migrations: Migrations): Promise<boolean> {
  if ((await formatOf(connection, migrations)) === 0) return false
  await checkTables(connection, migrations)
  return true
}

async function checkTables(connection: Connection, { tables, subject }: Migrations): Promise<void> {
  const rows = await connection.query('SELECT name FROM unnest($1::text[]) AS name WHERE to_regclass(name) IS NULL', [
    tables.map((table) => `dlv.${table}`),
  ])
  if (rows.length === 0) return
  throw new UsageError(`${subject} is damaged: the table ${rows.map(({ name }) => name).join(', ')} does not exist.`, {
    hint: 'Restore it from a backup; the other tables are untouched.',
  })
}

/** The format that is there; 0 for none. Throws if this program may not write it. */
async function formatOf(connection: Connection, { component, formats, subject }: Migrations): Promise<number> {
  const [exists] = await connection.query("SELECT to_regclass('dlv.meta') IS NOT NULL AS meta")
  if (exists?.meta !== true) return 0
  const rows = await connection.query('SELECT name, value FROM dlv.meta WHERE name IN ($1, $2)', [
    `${component}.format`,
    `${component}.min_writer`,
  ])
  const numberOf = (name: string) => Number(rows.find((row) => row.name === `${component}.${name}`)?.value ?? 0)
  if (numberOf('min_writer') <= formats.length) return numberOf('format')
  throw new UsageError(
    `${subject} was written by a newer dlv (format ${numberOf('format')}; this one knows ${formats.length}).`,
    { hint: 'Update dlv on this machine.' },
  )
}
