import { UsageError } from '../shared/dlv-error.js'
import { sleep } from '../shared/sleep.js'
import type { PostgresAddress } from './address.js'
import type { Connection } from './connection.js'
import { codeOf, isStatementPooling } from './errors.js'

/** For how long a pooler keeps a session of the server for one client. */
type Pooling = 'none' | 'session' | 'transaction' | 'statement'

/** How often it is looked whether a session changes or is used by others: a busy pooler may give the same one again by chance. */
const rounds = 5
const pauseMs = 10

/**
 * Finds out whether a pooler hands sessions from one client to another between transactions. Locks, prepared statements
 * and notifications belong to a session: they would be another client's a moment later. Nothing is left in a session by it.
 *
 * @param connect opens a second connection of the same kind
 */
export async function poolingOf(connection: Connection, connect: () => Promise<Connection>): Promise<Pooling> {
  if (!connection.isPooled) return 'none'
  const other = await connect()
  try {
    const own = await sessionOf(connection)
    for (let round = 0; round < rounds; round++) {
      // An idle pooler lends the session that was used last; on a busy one, somebody else has used it a moment later.
      const before = await seenBy(other, own)
      await sleep(pauseMs)
      const after = await seenBy(other, own)
      if (before.isSame || after.isSame || before.usedAt !== after.usedAt) return 'transaction'
      if ((await sessionOf(connection)) !== own) return 'transaction'
    }
    return 'session'
  } catch (error) {
    if (isStatementPooling(error)) return 'statement'
    throw error
  } finally {
    await other.close()
  }
}

async function sessionOf(connection: Connection): Promise<number> {
  const [row] = await connection.query('SELECT pg_backend_pid() AS id')
  return Number(row?.id)
}

/** Whether another client gets this session, and when it was used last. */
async function seenBy(other: Connection, session: number): Promise<{ isSame: boolean; usedAt: string }> {
  await other.query('BEGIN')
  const [row] = await other.query(
    `SELECT pg_backend_pid() = $1::int AS same,
      (SELECT extract(epoch FROM state_change)::text FROM pg_stat_activity WHERE pid = $1::int) AS used`,
    [session],
  )
  await other.query('COMMIT')
  return { isSame: row?.same === true, usedAt: String(row?.used) }
}

/**
 * Refuses a pooler that shares sessions, for what needs one of its own.
 *
 * @throws UsageError if a pooler shares sessions
 */
export async function refusePooler(
  connection: Connection,
  connect: () => Promise<Connection>,
  address: PostgresAddress,
): Promise<void> {
  const pooling = await poolingOf(connection, connect)
  if (pooling === 'none' || pooling === 'session') return
  throw new UsageError(
    `The database ${address.shown} is behind a pooler in ${pooling} mode, which breaks locks and prepared statements.`,
    { hint: 'Name the server itself, or set the pooler to session mode for this database.' },
  )
}

/**
 * Asks whether the server is Pgpool-II that spreads the statements of one session over several servers.
 *
 * @throws UsageError if it is
 */
export async function refuseLoadBalancing(connection: Connection): Promise<void> {
  if (!(await isPgpool(connection))) return
  const [row] = await connection.query('PGPOOL SHOW load_balance_mode')
  if (row?.load_balance_mode !== 'on') return
  throw new UsageError(
    `${connection.server} is Pgpool-II with load_balance_mode = on, which spreads the statements of a session over several servers.`,
    {
      hint: 'Set load_balance_mode = off in its pgpool.conf, or name the servers themselves: postgres://user@one:5432,two:5432/name.',
    },
  )
}

/** Pgpool-II answers this itself; PostgreSQL does not know it. */
async function isPgpool(connection: Connection): Promise<boolean> {
  try {
    return (await connection.query('SHOW pool_version')).length > 0
  } catch (error) {
    if (codeOf(error) === '42704') return false
    throw error
  }
}
