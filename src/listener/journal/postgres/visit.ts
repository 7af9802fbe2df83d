import { type Connection, isMigrated, parsePostgresAddress } from '../../../postgres/index.js'
import { UsageError } from '../../../shared/dlv-error.js'
import { journalMigrations } from './schema.js'
import { openSessions, type Sessions } from './sessions.js'

/** Opens a session, with errors in the words of the journal. */
export async function connected(sessions: Sessions): Promise<Connection> {
  try {
    return await sessions.connect('start')
  } catch (error) {
    throw sessions.errorOf(error)
  }
}

/**
 * Does something in a journal that exists.
 *
 * @throws DlvError if no host is a primary, the user is rejected, or there is no journal
 */
export async function inJournal<Result>(
  text: string,
  env: NodeJS.ProcessEnv,
  work: (connection: Connection, sessions: Sessions) => Promise<Result>,
): Promise<Result> {
  const sessions = openSessions(parsePostgresAddress(text, env))
  const connection = await connected(sessions)
  try {
    if (!(await isMigrated(connection, journalMigrations(sessions.subject))))
      throw new UsageError(`${sessions.subject} does not exist yet.`, {
        hint: 'The first dlv webhooks listen --journal creates its tables.',
      })
    return await work(connection, sessions)
  } catch (error) {
    throw sessions.errorOf(error)
  } finally {
    await connection.close()
  }
}
