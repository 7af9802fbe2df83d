import { randomUUID } from 'node:crypto'
import { UsageError } from '../shared/dlv-error.js'
import type { Connection } from './connection.js'

/**
 * Finds out whether a pooler hands sessions from one client to another between transactions. Locks, prepared statements
 * and notifications belong to a session: they would be another client's a moment later.
 *
 * @param connect opens a second connection of the same kind
 */
export async function sharesSessions(connection: Connection, connect: () => Promise<Connection>): Promise<boolean> {
  if (!connection.isPooled) return false
  const other = await connect()
  const mark = randomUUID()
  const seenBy = async (one: Connection) => {
    const [row] = await one.query("SELECT current_setting('dlv.mark', true) AS mark")
    return row?.mark === mark
  }
  try {
    await connection.query("SELECT set_config('dlv.mark', $1, false)", [mark])
    await other.query('BEGIN')
    const isShared = await seenBy(other)
    await other.query('COMMIT')
    return isShared || !(await seenBy(connection))
  } finally {
    await connection.query("SELECT set_config('dlv.mark', '', false)").catch(() => {})
    await other.close()
  }
}

/** @throws UsageError if a pooler shares sessions */
export async function refusePooler(
  connection: Connection,
  connect: () => Promise<Connection>,
  subject: string,
): Promise<void> {
  if (!(await sharesSessions(connection, connect))) return
  throw new UsageError(
    `${subject} is behind a pooler in transaction mode, which breaks locks and prepared statements.`,
    {
      hint: 'Name the server itself, or set the pooler to session mode for this database.',
    },
  )
}
