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
    const rows = (await connection.query(
      'SELECT mark, service, salt, marks, keys FROM dlv.accounts',
    )) as unknown as Row[]
    const mark = await markAmong(connection, rows, account)
    await connection.query('COMMIT')
    return mark
  } catch (error) {
    if (!connection.isLost()) await connection.query('ROLLBACK').catch(() => {})
    throw error
  }
}

interface Row {
  mark: string
  service: string
  salt: string
  marks: string[]
  keys: string[]
}

async function markAmong(
  connection: Connection,
  rows: readonly Row[],
  { mark, service, fingerprint }: DatabaseAccount,
): Promise<string> {
  const { randomBytes } = process.getBuiltinModule('node:crypto')
  const salt = rows[0]?.salt ?? randomBytes(16).toString('hex')
  const key = await fingerprint(salt)
  const here = rows.filter((row) => row.service === service)
  const byKey = key === undefined ? undefined : here.find(({ keys }) => keys.includes(key))
  const known = byKey ?? here.find(({ marks }) => marks.includes(mark))
  if (known === undefined) {
    const added = [mark, service, salt, [mark], key === undefined ? [] : [key]]
    await connection.query('INSERT INTO dlv.accounts VALUES ($1, $2, $3, $4, $5)', added)
    return mark
  }
  const isNew = (list: readonly string[], one: string | undefined) => one !== undefined && !list.includes(one)
  // A mark belongs to one account: a key that was moved by hand takes its machine's mark along.
  if (isNew(known.marks, mark) || isNew(known.keys, key)) {
    await connection.query('UPDATE dlv.accounts SET marks = array_remove(marks, $1) WHERE mark <> $2', [
      mark,
      known.mark,
    ])
    const marks = [...new Set([...known.marks, mark])]
    const keys = [...new Set([...known.keys, ...(key === undefined ? [] : [key])])]
    await connection.query('UPDATE dlv.accounts SET marks = $2, keys = $3 WHERE mark = $1', [known.mark, marks, keys])
  }
  return known.mark
}

/** The mark of an account in a database that is only read; its own mark if it was never there. */
export async function markToRead(connection: Connection, account: DatabaseAccount): Promise<string> {
  const [exists] = await connection.query("SELECT to_regclass('dlv.accounts') IS NOT NULL AS there")
  if (exists?.there !== true) return account.mark
  const rows = (await connection.query('SELECT mark, service, salt, marks, keys FROM dlv.accounts')) as unknown as Row[]
  const here = rows.filter((row) => row.service === account.service)
  const key = rows[0] === undefined ? undefined : await account.fingerprint(rows[0].salt)
  const byKey = key === undefined ? undefined : here.find(({ keys }) => keys.includes(key))
  return (byKey ?? here.find(({ marks }) => marks.includes(account.mark)))?.mark ?? account.mark
}
