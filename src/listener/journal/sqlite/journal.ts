import type { DatabaseSync } from 'node:sqlite'
import { dayMs } from '../../../shared/durations.js'
import type { SqliteLock } from '../../../shared/sqlite-lock.js'
import type { Appended, JournalEntry } from '../event.js'
import { type Journal, type JournalOptions, retentionDaysOf } from '../journal.js'
import { isSameBody } from '../same-body.js'
import { forwardLedger } from './forward-ledger.js'
import { groupCommit } from './group-commit.js'
import { lockJournal } from './lock.js'
import { journalReader } from './reader.js'
import { openJournalDatabase } from './schema.js'

/**
 * Opens a journal file for writing. One process writes at a time, any number may read.
 *
 * @throws UsageError if another process holds it, or the file cannot be opened or written.
 */
export function openSqliteJournal(file: string, options: JournalOptions): Journal {
  const lock = lockJournal(file)
  const database = openOrRelease(file, lock, options.maxBytes)
  const commit = groupCommit(database, file, options.onFailure ?? (() => {}), options.onCommitted)
  const reader = journalReader(database, file)
  const append = appender(database)
  const setCursor = database.prepare(
    'INSERT INTO cursors VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  )
  const probe = database.prepare('UPDATE probe SET written_at_ms = ?')
  const retentionMs = retentionDaysOf(options) * dayMs
  const now = options.now ?? Date.now
  const pruneOld = () => prune(database, now() - retentionMs)
  pruneOld()
  const daily = setInterval(() => {
    commit.write(pruneOld).catch(() => {
      // A refused write has been reported by the commit itself.
    })
  }, dayMs).unref()
  return {
    ...reader,
    append: (entry) => commit.write(() => append(entry), 1),
    setCursor: (name, value) => commit.write(() => void setCursor.run(name, value)),
    probe: () => commit.write(() => void probe.run(Date.now())),
    forwards: forwardLedger(database, file, commit, reader),
    abandon: commit.abandon,
    failure() {
      const error = commit.failure()
      return error === undefined ? undefined : { kind: 'fatal', error }
    },
    backlog: async () => (await reader.status()).pending,
    // One process writes a file: it leads in everything.
    lead: async () => new AbortController().signal,
    ownedShards: () => 0,
    failovers: () => 0,
    async close() {
      if (!database.isOpen) return
      clearInterval(daily)
      commit.flush()
      database.close()
      lock.release()
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

function appender(database: DatabaseSync): (entry: JournalEntry) => Appended {
  const insert = database.prepare(`
    INSERT INTO events (id, source, received_at_ms, timestamp_seconds, secret, raw_headers, body, event_type, delivery_id,
      occurred_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`)
  const known = database.prepare('SELECT seq, source, body FROM events WHERE id = ?')
  const repeat = database.prepare('UPDATE events SET repeats = repeats + 1 WHERE seq = ?')
  const sameConflict = database.prepare('SELECT 1 FROM conflicts WHERE id = ? AND body = ?')
  const conflict = database.prepare('INSERT INTO conflicts VALUES (?, ?, ?, ?)')
  const forward = database.prepare('INSERT INTO forwards (url, seq) VALUES (?, ?)')
  return (entry) => {
    const rawHeaders = JSON.stringify(entry.rawHeaders)
    const inserted = insert.run(
      entry.id,
      entry.source,
      entry.receivedAtMs,
      entry.timestampSeconds,
      entry.secret,
      rawHeaders,
      entry.body,
      entry.eventType ?? null,
      entry.deliveryId ?? null,
      entry.occurredAt ?? null,
    )
    if (inserted.changes === 1) {
      const seq = Number(inserted.lastInsertRowid)
      for (const url of entry.forwardTo ?? []) forward.run(url, seq)
      return { outcome: 'new', seq }
    }
    const first = known.get(entry.id)
    const seq = Number(first?.seq)
    const pulled = entry.source === 'pull' || first?.source === 'pull'
    if (first?.body instanceof Uint8Array && isSameBody(first.body, entry.body, pulled)) {
      repeat.run(seq)
      return { outcome: 'duplicate', seq }
    }
    if (sameConflict.get(entry.id, entry.body) === undefined) {
      conflict.run(entry.id, entry.receivedAtMs, rawHeaders, entry.body)
    }
    return { outcome: 'conflict', seq }
  }
}

function prune(database: DatabaseSync, beforeMs: number) {
  const old = 'SELECT seq FROM events WHERE received_at_ms < ?'
  database.prepare(`DELETE FROM forwards WHERE seq IN (${old})`).run(beforeMs)
  database.prepare('DELETE FROM conflicts WHERE received_at_ms < ?').run(beforeMs)
  database.prepare('DELETE FROM events WHERE received_at_ms < ?').run(beforeMs)
}
