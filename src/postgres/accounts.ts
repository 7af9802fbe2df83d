import type { Connection } from './connection.js'
import { type Migrations, migrate } from './migrate.js'

/** An account as a machine knows it, for a database that several machines share. */
export interface DatabaseAccount {
  /** The account's mark on this machine. */
  mark: string
  /** The address of its service. */
  service: string
  /** A hash of its key with a salt of the database, which nobody can count back; `undefined` without a key. */
  fingerprint(salt: string): Promise<string | undefined>
}

const tables: Omit<Migrations, 'subject'> = {
  component: 'accounts',
  formats: [
    `CREATE TABLE dlv.accounts (
      mark text COLLATE "C" PRIMARY KEY,
      service text NOT NULL,
      salt text NOT NULL,
      marks text[] NOT NULL,
      keys text[] NOT NULL
    )`,
  ],
  minWriter: 1,
  tables: ['accounts'],
}

/** Any number that other programs are unlikely to lock; `dlvI`. */
const lockNumber = 0x646c7649

/**
 * The mark of an account in a database. Machines with the same key, or with the mark of one that had it, share it; each key
 * that a machine has recognized as the account's is added.
 *
 * @throws the database's error
 */
export async function markInDatabase(
  connection: Connection,
  account: DatabaseAccount,
  subject: string,
): Promise<string> {
  await migrate(connection, { ...tables, subject })
  await connection.query('BEGIN')
  try {
    await connection.query(`SELECT pg_advisory_xact_lock(${lockNumber})`)
    const { mark, changed } = await accountAmong(await rowsOf(connection), account)
    for (const row of changed)
      await connection.query(
        `INSERT INTO dlv.accounts VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (mark) DO UPDATE SET marks = excluded.marks, keys = excluded.keys`,
        [row.mark, row.service, row.salt, row.marks, row.keys],
      )
    await connection.query('COMMIT')
    return mark
  } catch (error) {
    if (!connection.isLost()) await connection.query('ROLLBACK').catch(() => {})
    throw error
  }
}

/** An account in a database that several machines share. */
export interface AccountRow {
  mark: string
  service: string
  salt: string
  /** Its marks on the machines that use it. */
  marks: readonly string[]
  /** Fingerprints of its keys. */
  keys: readonly string[]
}

async function rowsOf(connection: Connection): Promise<AccountRow[]> {
  return (await connection.query(
    'SELECT mark, service, salt, marks, keys FROM dlv.accounts',
  )) as unknown as AccountRow[]
}

/** The mark of an account among those of a database, and the rows that are to be written for it. */
export async function accountAmong(
  rows: readonly AccountRow[],
  account: DatabaseAccount,
): Promise<{ mark: string; changed: AccountRow[] }> {
  const { mark, service } = account
  const { randomBytes } = process.getBuiltinModule('node:crypto')
  const salt = rows[0]?.salt ?? randomBytes(16).toString('hex')
  const key = await account.fingerprint(salt)
  const own = key === undefined ? [] : [key]
  const known = knownAmong(rows, account, key)
  if (known === undefined) return { mark, changed: [{ mark, service, salt, marks: [mark], keys: own }] }
  const isNew = !known.marks.includes(mark) || own.some((one) => !known.keys.includes(one))
  if (!isNew) return { mark: known.mark, changed: [] }
  // A mark belongs to one account: a key that was moved by hand takes its machine's mark along.
  const left = rows
    .filter((row) => row !== known && row.marks.includes(mark))
    .map((row) => ({ ...row, marks: row.marks.filter((one) => one !== mark) }))
  const marks = [...new Set([...known.marks, mark])]
  return { mark: known.mark, changed: [...left, { ...known, marks, keys: [...new Set([...known.keys, ...own])] }] }
}

/** The mark of an account among those of a database that is only read; its own mark if it was never there. */
export async function markAmong(rows: readonly AccountRow[], account: DatabaseAccount): Promise<string> {
  const key = rows[0] === undefined ? undefined : await account.fingerprint(rows[0].salt)
  return knownAmong(rows, account, key)?.mark ?? account.mark
}

function knownAmong(
  rows: readonly AccountRow[],
  { mark, service }: DatabaseAccount,
  key: string | undefined,
): AccountRow | undefined {
  const here = rows.filter((row) => row.service === service)
  const byKey = key === undefined ? undefined : here.find(({ keys }) => keys.includes(key))
  return byKey ?? here.find(({ marks }) => marks.includes(mark))
}

/** The mark of an account in a database that is only read; its own mark if it was never there. */
export async function markToRead(connection: Connection, account: DatabaseAccount): Promise<string> {
  const [exists] = await connection.query("SELECT to_regclass('dlv.accounts') IS NOT NULL AS there")
  return exists?.there === true ? markAmong(await rowsOf(connection), account) : account.mark
}
