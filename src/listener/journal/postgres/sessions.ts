import type { DlvError } from '../../../contract/index.js'
import {
  type Connection,
  type ConnectOptions,
  connectPostgres,
  databaseError,
  isMigrated,
  isPassing,
  NoPrimary,
  type PostgresAddress,
  parsePostgresAddress,
} from '../../../postgres/index.js'
import { UsageError } from '../../../shared/dlv-error.js'
import { journalMigrations } from './schema.js'

/** The sessions of one journal with whatever server is the primary now. */
export interface Sessions {
  /** The journal's name in messages: `The journal postgres://…`. */
  subject: string
  /** Opens a session, first with the server that was the primary last. */
  connect(purpose: string, options?: ConnectOptions): Promise<Connection>
  errorOf(error: unknown): DlvError
  /** Number of times that the primary was found on another server. */
  failovers(): number
}

/** @param isOwn whether each session has to belong to this process, for locks, notifications and prepared statements */
export function openSessions(address: PostgresAddress, isOwn: boolean): Sessions {
  const subject = `The journal ${address.shown}`
  let firstHost = 0
  let primary: string | undefined
  let failovers = 0
  return {
    subject,
    async connect(purpose, options = {}) {
      const connection = await connectPostgres(address, {
        applicationName: `dlv ${purpose}`,
        firstHost,
        isOwn,
        ...options,
      })
      if (primary !== undefined && primary !== connection.server) failovers++
      primary = connection.server
      firstHost = Math.max(
        0,
        address.hosts.findIndex(({ name }) => name === connection.server),
      )
      return connection
    },
    errorOf: (error) => databaseError(error, subject),
    failovers: () => failovers,
  }
}

/**
 * A few rows of a table with millions, always found by their index: a planner that knows only averages would rather read
 * everything that waits.
 */
export const byIndex = {
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_seqscan: 'off',
  plan_cache_mode: 'force_generic_plan',
}

/** A session that is opened when it is needed and again after it was lost. */
export interface KeptSession {
  use<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

export function keptSession(sessions: Sessions, purpose: string, options: ConnectOptions = {}): KeptSession {
  let opening: Promise<Connection> | undefined
  let isClosed = false
  const open = async () => {
    const known = await opening?.catch(() => undefined)
    if (known !== undefined && !known.isLost()) return known
    if (isClosed) throw new NoPrimary(['the journal is closed'], false)
    opening = sessions.connect(purpose, options)
    return opening
  }
  let last: Promise<unknown> = Promise.resolve()
  const current = () => {
    // One after another, so that two uses never open two sessions.
    const result = last.then(open)
    last = result.catch(() => {})
    return result
  }
  return {
    use: async (work) => work(await current()),
    async close() {
      isClosed = true
      const connection = await opening?.catch(() => undefined)
      await connection?.close()
    },
  }
}

/** Reads, again in a new session if the old one was lost meanwhile. */
export async function readAgain<Result>(
  session: KeptSession,
  read: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  try {
    return await session.use(read)
  } catch (error) {
    if (!isPassing(error) || error instanceof NoPrimary) throw error
    return session.use(read)
  }
}

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
  const sessions = openSessions(parsePostgresAddress(text, env), false)
  const connection = await connected(sessions)
  try {
    if (!(await isMigrated(connection, journalMigrations(sessions.subject))))
      throw new UsageError(`${sessions.subject} does not exist yet.`, {
        hint: 'The first listener that keeps its journal there creates its tables.',
      })
    return await work(connection, sessions)
  } catch (error) {
    throw sessions.errorOf(error)
  } finally {
    await connection.close()
  }
}
