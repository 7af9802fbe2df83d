import type { DatabaseSync } from 'node:sqlite'
import { canonicalJson, type UsageError } from '../../contract/index.js'
import { dayMs } from '../../shared/durations.js'
import { tryParseJson } from '../../shared/json.js'
import type { SqliteLock } from '../../shared/sqlite-lock.js'
import { type ForwardLedger, forwardLedger } from './forward-ledger.js'
import { groupCommit } from './group-commit.js'
import { lockJournal } from './lock.js'
import { type EventSource, type JournalReader, journalReader } from './reader.js'
import { openJournalDatabase } from './schema.js'

/** An event that has been verified and is to be kept. */
export interface JournalEntry {
  id: string
  source: EventSource
  receivedAtMs: number
  timestampSeconds: number
  secret: string
  rawHeaders: readonly string[]
  body: Uint8Array
  eventType?: string | undefined
  deliveryId?: string | undefined
  occurredAt?: string | undefined
  /** The targets that it is to be forwarded to; remembered with it. */
  forwardTo?: readonly string[]
}

/** `new`: kept. `duplicate`: the same again. `conflict`: the id is known with another body, and the first is kept. */
export interface Appended {
  outcome: 'new' | 'duplicate' | 'conflict'
  seq: number
}

export interface Journal extends JournalReader {
  /**
   * Keeps an event; resolves once it is on disk.
   *
   * @throws UsageError where the disk refused; every later write is refused as well.
   */
  append(entry: JournalEntry): Promise<Appended>
  /** Moves a cursor; resolves once that is on disk. */
  setCursor(name: string, value: string): Promise<void>
  /** Proves that writing works, leaving no trace that anything reads. */
  probe(): Promise<void>
  forwards: ForwardLedger
  /** Accepts no more writes: a read has shown that the file cannot be used. */
  abandon(error: unknown): void
  failure(): UsageError | undefined
}

export interface JournalOptions {
  /** How long events are kept, 60 days unless given; never less than 30, for which the service may send them again. */
  retentionDays?: number
  /** Size that the file may not outgrow. */
  maxBytes?: number
  /** Called once when the disk refuses. */
  onFailure?: (failure: UsageError) => void
  now?: () => number
}

const minRetentionDays = 30

/**
 * Opens a journal for writing. One process writes at a time, any number may read.
 *
 * @throws UsageError where another process holds it, or the file cannot be opened or written.
 */
export function openJournal(file: string, options: JournalOptions = {}): Journal {
  const lock = lockJournal(file)
  const database = openOrRelease(file, lock, options.maxBytes)
  const commit = groupCommit(database, file, options.onFailure ?? (() => {}))
  const reader = journalReader(database, file)
  const append = appender(database)
  const setCursor = database.prepare(
    'INSERT INTO cursors VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  )
  const probe = database.prepare('UPDATE probe SET written_at_ms = ?')
  const retentionMs = Math.max(options.retentionDays ?? 60, minRetentionDays) * dayMs
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
    append: (entry) => commit.write(() => append(entry)),
    setCursor: (name, value) => commit.write(() => void setCursor.run(name, value)),
    probe: () => commit.write(() => void probe.run(Date.now())),
    forwards: forwardLedger(database, file, commit),
    abandon: commit.abandon,
    failure: commit.failure,
    close() {
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

/** The service may print an event in its list otherwise than in its webhook: a pulled one is compared by what it means. */
function isSameBody(first: Uint8Array, second: Uint8Array, byMeaning: boolean): boolean {
  if (Buffer.compare(first, second) === 0) return true
  return byMeaning && meaningOf(first) === meaningOf(second)
}

function meaningOf(body: Uint8Array): string {
  const text = Buffer.from(body).toString()
  const json = tryParseJson(text)
  return json === undefined ? text : canonicalJson(json.value)
}

function prune(database: DatabaseSync, beforeMs: number) {
  const old = 'SELECT seq FROM events WHERE received_at_ms < ?'
  database.prepare(`DELETE FROM forwards WHERE seq IN (${old})`).run(beforeMs)
  database.prepare('DELETE FROM conflicts WHERE received_at_ms < ?').run(beforeMs)
  database.prepare('DELETE FROM events WHERE received_at_ms < ?').run(beforeMs)
}
