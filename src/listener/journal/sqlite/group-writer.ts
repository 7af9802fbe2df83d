import type { DatabaseSync } from 'node:sqlite'
import { isOutOfRoom } from '../../../shared/sqlite.js'
import { type Appended, isSameBody } from '../event.js'
import type { EventWrite, GroupOutcome, JournalWrite, SmallWrite } from './writes.js'

/** Carries out groups of changes on a database, each in one transaction. */
export function groupWriter(database: DatabaseSync): (group: readonly JournalWrite[]) => GroupOutcome {
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  const append = appender(database)
  const change = changer(database)

  let failure: { error: unknown } | undefined

  function rollBack() {
    try {
      if (database.isTransaction) database.exec('ROLLBACK')
    } catch {
      // The disk refuses this as well; what was not committed is dropped when the file is opened next.
    }
  }

  return (group) => {
    if (failure !== undefined) return { ...failure, failed: group.length }
    const startedAt = performance.now()
    try {
      begin.run()
      const appended = group.map((write) => ('kind' in write ? change(write) : append(write)))
      commit.run()
      return { appended, seconds: (performance.now() - startedAt) / 1_000 }
    } catch (error) {
      rollBack()
      if (!isOutOfRoom(error)) failure = { error }
      return { error, failed: group.length }
    }
  }
}

function appender(database: DatabaseSync): (event: EventWrite) => Appended {
  const insert = database.prepare(`
    INSERT INTO events (id, account, source, received_at_ms, timestamp_seconds, secret, raw_headers, event_type, delivery_id,
      occurred_at, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`)
  const known = database.prepare('SELECT seq, source, body FROM events WHERE id = ? AND account = ?')
  const repeat = database.prepare('UPDATE events SET repeats = repeats + 1 WHERE seq = ?')
  const sameConflict = database.prepare('SELECT 1 FROM conflicts WHERE seq = ? AND body = ?')
  const conflict = database.prepare('INSERT INTO conflicts VALUES (?, ?, ?, ?)')
  const forward = database.prepare('INSERT INTO forwards (url, seq) VALUES (?, ?)')
  return ({ values, body }) => {
    const [
      id,
      account,
      source,
      receivedAtMs,
      timestampSeconds,
      secret,
      rawHeaders,
      type,
      deliveryId,
      occurredAt,
      urls,
    ] = values
    const { changes, lastInsertRowid } = insert.run(
      id,
      account,
      source,
      receivedAtMs,
      timestampSeconds,
      secret,
      rawHeaders,
      type,
      deliveryId,
      occurredAt,
      body,
    )
    if (changes === 1) {
      const seq = Number(lastInsertRowid)
      for (const url of urls) forward.run(url, seq)
      return { outcome: 'new', seq }
    }
    const first = known.get(id, account)
    const seq = Number(first?.seq)
    const pulled = source === 'pull' || first?.source === 'pull'
    if (first?.body instanceof Uint8Array && isSameBody(first.body, body, pulled)) {
      repeat.run(seq)
      return { outcome: 'duplicate', seq }
    }
    if (sameConflict.get(seq, body) === undefined) conflict.run(seq, receivedAtMs, rawHeaders, body)
    return { outcome: 'conflict', seq }
  }
}

function changer(database: DatabaseSync): (write: SmallWrite) => undefined {
  const setCursor = database.prepare(
    'INSERT INTO cursors VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value WHERE ? = 0',
  )
  const finish = database.prepare(`
    UPDATE forwards SET state = ?, attempts = ?, status = ?, finished_at_ms = ? WHERE url = ? AND seq = ?`)
  const resent = database.prepare(resentForward)
  const probe = database.prepare('UPDATE probe SET written_at_ms = ?')
  return (write) => {
    if (write.kind === 'cursor') setCursor.run(write.name, write.value, Number(write.onlyIfMissing))
    else if (write.kind === 'probe') probe.run(write.atMs)
    else if (write.kind === 'resent') resent.run(write.atMs, write.url, write.seq)
    else if (write.kind === 'prune') prune(database, write.beforeMs)
    else finish.run(write.state, write.attempts, write.status, write.atMs, write.url, write.seq)
  }
}

/** Marks a forward that was given up and has reached its target after all. */
export const resentForward =
  "UPDATE forwards SET state = 'delivered', finished_at_ms = ? WHERE url = ? AND seq = ? AND state = 'given-up'"

/** Forgets what was received earlier. */
export function prune(database: DatabaseSync, beforeMs: number) {
  const old = 'SELECT seq FROM events WHERE received_at_ms < ?'
  database.prepare(`DELETE FROM forwards WHERE seq IN (${old})`).run(beforeMs)
  database.prepare('DELETE FROM conflicts WHERE received_at_ms < ?').run(beforeMs)
  database.prepare('DELETE FROM events WHERE received_at_ms < ?').run(beforeMs)
}
