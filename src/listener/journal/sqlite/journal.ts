import type { DatabaseSync } from 'node:sqlite'
import { dayMs } from '../../../shared/durations.js'
import type { SqliteLock } from '../../../shared/sqlite-lock.js'
import { type Journal, type JournalOptions, retentionDaysOf } from '../journal.js'
import { fileWriter } from './file-writer.js'
import { forwardLedger } from './forward-ledger.js'
import { groupCommit } from './group-commit.js'
import { prune } from './group-writer.js'
import { journalReader } from './reader.js'
import { lockJournal, openJournalDatabase } from './schema.js'
import { eventWrite } from './writes.js'

/**
 * Opens a journal file for writing. One process writes at a time, any number may read.
 *
 * @throws UsageError if another process holds it, or the file cannot be opened or written.
 */
export function openSqliteJournal(file: string, options: JournalOptions): Journal {
  const { maxBytes } = options
  const lock = lockJournal(file)
  const database = openOrRelease(file, lock, maxBytes)
  const commit = groupCommit(
    (settle) => fileWriter(database, { file, maxBytes }, settle),
    file,
    options.onFailure ?? (() => {}),
    options.onCommitted,
  )
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
    forwards: forwardLedger(database, file, commit.write, { bySeq, accounts }),
    abandon: commit.abandon,
    failure() {
      const error = commit.failure()
      return error === undefined ? undefined : { kind: 'fatal', error }
    },
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
