import type { DatabaseSync } from 'node:sqlite'
import { dayMs } from '../../../shared/durations.js'
import type { SqliteLock } from '../../../shared/sqlite.js'
import type { JournalEvent } from '../event.js'
import type { ForwardLedger } from '../forwards.js'
import { type Journal, type JournalOptions, retentionDaysOf } from '../journal.js'
import { ofAccounts } from './accounts.js'
import { reading } from './failure.js'
import { type GroupCommit, groupCommit } from './group-commit.js'
import { groupWriter, prune } from './group-writer.js'
import { journalReader } from './reader.js'
import { lockJournal, openJournalDatabase } from './schema.js'
import type { ThreadSetup } from './thread/messages.js'
import { startThreadWriter } from './thread/thread-writer.js'
import { eventWrite, type GroupWriter, type Settle } from './writes.js'

/** Groups of this size, this many times in a row, are sustained load and not chance. */
const largeGroup = 4
const largeGroups = 8

/**
 * Writes on the database that is given, until writes come in groups: then a thread takes over, for a disk takes as long
 * to sync as a hundred webhooks take to verify. A thread costs memory and time to start, which a listener that gets an
 * event now and then is spared.
 */
function fileWriter(database: DatabaseSync, setup: ThreadSetup, settle: Settle): GroupWriter {
  const writeHere = groupWriter(database)
  let large = 0
  let starting: Promise<void> | undefined
  let thread: GroupWriter | undefined
  const start = async () => {
    thread = await startThreadWriter(setup, settle)
  }
  return {
    takes: (size, isTurnOver) => thread?.takes(size, isTurnOver) ?? isTurnOver,
    write(group) {
      if (group.length >= largeGroup && ++large === largeGroups) starting = start()
      if (thread === undefined) settle(writeHere(group))
      else thread.write(group)
    },
    async close() {
      await starting
      await thread?.close()
    },
  }
}

/** The forwards of a file, which one process writes: all of those of its accounts are its own. */
function forwardLedger(
  database: DatabaseSync,
  file: string,
  { write, isUpAgain }: Pick<GroupCommit, 'write' | 'isUpAgain'>,
  { bySeq, accounts }: { bySeq(seq: number): JournalEvent | undefined; accounts: readonly string[] | undefined },
): ForwardLedger {
  const own =
    accounts === undefined ? '' : `AND (SELECT ${ofAccounts(accounts)} FROM events e WHERE e.seq = forwards.seq)`
  const waiting = database.prepare(
    `SELECT seq FROM forwards WHERE url = ? AND state = 'pending' ${own} ORDER BY seq LIMIT ?`,
  )
  const event = database.prepare('SELECT id, coalesce(delivery_id, id) AS lane FROM events WHERE seq = ?')
  return {
    isSoleWriter: true,
    join: async () => {},
    leave: async () => {},
    async pending(url, held, limit) {
      const free = reading(file, () => waiting.all(url, held.size + limit))
        .map(({ seq }) => Number(seq))
        .filter((seq) => !held.has(seq))
        .slice(0, limit)
      const forwards = free.map((seq) => {
        const row = reading(file, () => event.get(seq))
        return { seq, id: String(row?.id), lane: String(row?.lane) }
      })
      return { forwards, hasMore: free.length === limit }
    },
    event: async ({ seq }) => bySeq(seq),
    owns: () => true,
    async finish({ forward, url, delivered, attempts, status = null }) {
      const state = delivered ? 'delivered' : 'given-up'
      const end = { kind: 'finish', state, attempts, status, atMs: Date.now(), url, seq: forward.seq } as const
      for (;;) {
        try {
          await write(end)
          return true
        } catch (error) {
          // What was posted is posted once, though its end can be written only when there is room again.
          if (!(await isUpAgain())) throw error
        }
      }
    },
    async resent(seq, url) {
      await write({ kind: 'resent', atMs: Date.now(), url, seq })
    },
    release: () => {},
  }
}

/**
 * Opens a journal file for writing. One process writes at a time, any number may read.
 *
 * @throws UsageError if another process holds it, or the file cannot be opened or written.
 */
export function openSqliteJournal(file: string, options: JournalOptions): Journal {
  const { maxBytes } = options
  const lock = lockJournal(file)
  const database = openOrRelease(file, lock, maxBytes)
  const commit = groupCommit({
    ...options,
    file,
    writerFor: (settle) => fileWriter(database, { file, maxBytes }, settle),
  })
  const { accounts } = options
  const { bySeq, ...reader } = journalReader(database, file, accounts)
  const retentionMs = retentionDaysOf(options) * dayMs
  const now = options.now ?? Date.now
  prune(database, now() - retentionMs)
  const daily = setInterval(() => {
    commit.write({ kind: 'prune', beforeMs: now() - retentionMs }).catch(() => {
      // A refused write has been reported already.
    })
  }, dayMs).unref()
  let closing: Promise<void> | undefined

  async function close() {
    clearInterval(daily)
    await commit.close()
    database.close()
    lock.release()
  }

  return {
    ...reader,
    append: (entry) => commit.write(eventWrite(entry)),
    setCursor: async (name, value, onlyIfMissing = false) =>
      void (await commit.write({ kind: 'cursor', name, value, onlyIfMissing })),
    probe: async () => void (await commit.write({ kind: 'probe', atMs: Date.now() })),
    forwards: forwardLedger(database, file, commit, { bySeq, accounts }),
    abandon: commit.abandon,
    failure: commit.failure,
    backlog: async () => (await reader.status()).pending,
    // One process writes a file: it leads in everything.
    lead: async () => new AbortController().signal,
    ownedShards: () => undefined,
    failovers: () => 0,
    close() {
      closing ??= close()
      return closing
    },
  }
}

function openOrRelease(file: string, lock: SqliteLock, maxBytes: number | undefined): DatabaseSync {
  try {
    return openJournalDatabase(file, maxBytes)
  } catch (error) {
    lock.release()
    throw error
  }
}
