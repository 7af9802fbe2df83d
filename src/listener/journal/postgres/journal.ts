import { type Connection, isMigrated, migrate, parsePostgresAddress } from '../../../postgres/index.js'
import { hourMs } from '../../../shared/durations.js'
import { type Journal, type JournalOptions, retentionDaysOf } from '../journal.js'
import type { JournalReader } from '../reader.js'
import { shownBacklog } from '../shown-targets.js'
import { openAccept } from './accept.js'
import { Availability, writeProbe } from './availability.js'
import { SharedLedger } from './forward-ledger.js'
import { postgresReader } from './reader.js'
import { channel, journalMigrations, keepPartitions } from './schema.js'
import { connected, inJournal, keptSession, openSessions, type Sessions } from './sessions.js'
import { readBacklog } from './targets.js'
import { becomeLeader, coalesced } from './work-loops.js'

/** Interval of the partition maintenance. */
const maintainedEveryMs = hourMs
/** Interval of the check whether a newer program has changed the tables. */
const checkedEveryMs = 30_000
/** Minimum interval between notifications of new events. */
const notifiedEveryMs = 20

/**
 * Opens a journal that any number of processes share, and creates its tables if they are not there.
 *
 * @throws DlvError if no host is a primary, the user is rejected, or a newer program has changed the tables
 */
export async function openPostgresJournal(
  text: string,
  options: JournalOptions,
  env: NodeJS.ProcessEnv,
): Promise<Journal> {
  const sessions = openSessions(parsePostgresAddress(text, env), true)
  const now = options.now ?? Date.now
  const retentionDays = retentionDaysOf(options)
  await prepared(sessions, (connection) => keepPartitions(connection, retentionDays, now()))

  const state = new Availability(sessions, options.onFailure, options.onOutage)
  const reads = keptSession(sessions, 'reader')
  const writes = keptSession(sessions, 'cursors')
  const notices = keptSession(sessions, 'notifier', { settings: { synchronous_commit: 'off' } })
  const ledger = new SharedLedger(sessions, state, options.accounts)
  const closing = new AbortController()
  const notice = coalesced(notifiedEveryMs, closing.signal, () =>
    notices.use((connection) => connection.query(`SELECT pg_notify('${channel}', '')`)),
  )
  const accept = openAccept(sessions, state, (committed, hasForwards) => {
    options.onCommitted?.(committed)
    if (!hasForwards) return
    ledger.wake()
    notice.ask()
  })
  const failed = (error: unknown) => state.failed(error)
  const maintained = setInterval(() => {
    const maintain = async () => {
      const connection = await sessions.connect('maintenance')
      await keepPartitions(connection, retentionDays, now()).finally(() => connection.close())
    }
    maintain().catch(failed)
  }, maintainedEveryMs).unref()

  const check = () => reads.use((connection) => isMigrated(connection, journalMigrations(sessions.subject)))
  const checked = setInterval(() => void check().catch(failed), checkedEveryMs).unref()

  async function write<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    const failure = state.failure()
    if (failure !== undefined) throw failure.error
    try {
      return await writes.use(work)
    } catch (error) {
      state.failed(error)
      throw sessions.errorOf(error)
    }
  }

  return {
    ...postgresReader(sessions, reads, options.accounts),
    append: accept.append,
    setCursor: (name, value, onlyIfMissing = false) =>
      write(async (connection) => {
        const known = onlyIfMissing ? 'NOTHING' : 'UPDATE SET value = excluded.value'
        const text = `INSERT INTO dlv.cursors VALUES ($1, $2) ON CONFLICT (name) DO ${known}`
        await connection.query(text, [name, value], { isDurable: true })
      }),
    probe: () =>
      write(async (connection) => {
        await isMigrated(connection, journalMigrations(sessions.subject))
        await writeProbe(connection)
      }),
    forwards: ledger,
    abandon: failed,
    failure: () => state.failure(),
    backlog: async () =>
      shownBacklog(await reads.use((connection) => readBacklog(connection, options.accounts ?? null))),
    lead: (name, signal) => becomeLeader(sessions, state, name, signal),
    ownedShards: () => ledger.ownedShards(),
    failovers: sessions.failovers,
    async close() {
      clearInterval(maintained)
      clearInterval(checked)
      await accept.idle()
      closing.abort()
      state.close()
      await ledger.close()
      await Promise.all([accept.close(), reads.close(), writes.close(), notices.close()])
    },
  }
}

/**
 * Opens a journal for reading.
 *
 * @throws DlvError if no host is a primary, the user is rejected, or there is no journal
 */
export function readPostgresJournal(
  text: string,
  env: NodeJS.ProcessEnv,
  accounts: readonly string[] | undefined,
): Promise<JournalReader> {
  return inJournal(text, env, async (_, sessions) =>
    postgresReader(sessions, keptSession(sessions, 'reader'), accounts),
  )
}

async function prepared(sessions: Sessions, maintain: (connection: Connection) => Promise<void>): Promise<void> {
  const connection = await connected(sessions)
  try {
    await migrate(connection, journalMigrations(sessions.subject))
    await maintain(connection)
  } catch (error) {
    throw sessions.errorOf(error)
  } finally {
    await connection.close()
  }
}
