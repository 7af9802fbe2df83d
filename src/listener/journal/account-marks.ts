import { type DatabaseAccount, isPostgresAddress, markInDatabase, markToRead } from '../../postgres/index.js'
import { sqliteMarks } from './sqlite/accounts.js'

/**
 * The marks of accounts in a journal that machines share: each knows an account by a mark of its own, and recognizes it by
 * its key.
 *
 * @param isWriting whether accounts that the journal does not know yet are added
 * @throws DlvError if the journal cannot be read, or written
 */
export async function journalMarks(
  journal: string,
  accounts: readonly DatabaseAccount[],
  { env, isWriting }: { env: NodeJS.ProcessEnv; isWriting: boolean },
): Promise<string[]> {
  if (!isPostgresAddress(journal)) return sqliteMarks(journal, accounts, isWriting)
  const [{ parsePostgresAddress, migrate }, { connected, openSessions }, { journalMigrations }] = await Promise.all([
    import('../../postgres/index.js'),
    import('./postgres/sessions.js'),
    import('./postgres/schema.js'),
  ])
  const sessions = openSessions(parsePostgresAddress(journal, env), isWriting)
  const connection = await connected(sessions)
  try {
    if (isWriting) await migrate(connection, journalMigrations(sessions.subject))
    const marks: string[] = []
    for (const account of accounts)
      marks.push(
        isWriting ? await markInDatabase(connection, account, sessions.subject) : await markToRead(connection, account),
      )
    return marks
  } catch (error) {
    throw sessions.errorOf(error)
  } finally {
    await connection.close()
  }
}
