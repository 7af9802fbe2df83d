import type { DatabaseSync } from 'node:sqlite'
import { loadSqlite } from '../../../shared/sqlite.js'
import { targetName, targetsMeant } from '../../../shared/target-name.js'
import type { Backlog, GivenUp, JournalTarget } from '../reader.js'
import { sameUrls } from '../shown-targets.js'
import { ofAccounts } from './accounts.js'
import { journalError, reading } from './failure.js'
import { resentForward } from './group-writer.js'
import { lockJournal, opening, openJournalDatabase } from './schema.js'

/** From one URL to the next by the index: a file may hold millions of forwards to a few of them. */
const urlsForwardedTo = `
WITH RECURSIVE known (url) AS (
  SELECT min(url) FROM forwards
  UNION ALL SELECT (SELECT min(url) FROM forwards WHERE url > known.url) FROM known WHERE url IS NOT NULL
) SELECT url FROM known WHERE url IS NOT NULL`

/** The targets of past forwards, and the pending events. Only the listener knows the current targets. */
export function sqliteTargets(
  database: DatabaseSync,
  file: string,
  backlog: readonly Backlog[],
  givenUp: readonly GivenUp[],
): JournalTarget[] {
  return reading(file, () => database.prepare(urlsForwardedTo).all()).map(({ url }) => {
    const waiting = backlog.find((one) => one.url === url)
    return {
      url: targetName(String(url)),
      eventTypes: null,
      namedAt: null,
      active: null,
      pending: waiting?.count ?? 0,
      oldestSeconds: waiting?.oldestSeconds ?? null,
      givenUp: givenUp.find((one) => one.url === url)?.count ?? 0,
    }
  })
}

/** Gives up what waits for a target, named as it is shown; returns how many events. */
export function removeSqliteTarget(file: string, url: string, accounts?: readonly string[]): number {
  const lock = lockJournal(file)
  try {
    const database = openJournalDatabase(file)
    try {
      const giveUp = database.prepare(
        `UPDATE forwards SET state = 'given-up', finished_at_ms = ? WHERE url = ? AND state = 'pending'
         AND (SELECT ${ofAccounts(accounts)} FROM events e WHERE e.seq = forwards.seq)`,
      )
      const known = database.prepare(urlsForwardedTo).all()
      const urls = targetsMeant(
        url,
        known.map((row) => String(row.url)),
      )
      return urls.reduce((sum, one) => sum + Number(giveUp.run(Date.now(), one).changes), 0)
    } catch (error) {
      throw journalError(file, error, 'write')
    } finally {
      database.close()
    }
  } finally {
    lock.release()
  }
}

/**
 * Records that an event which was given up for a target has reached it after all. A listener may hold the file: this is
 * one short write beside its own.
 */
export function recordSqliteResend(file: string, seq: number, url: string): void {
  const database = opening(file, () => new (loadSqlite().DatabaseSync)(file, { timeout: 5_000 }))
  try {
    const known = database.prepare("SELECT url FROM forwards WHERE seq = ? AND state = 'given-up'").all(seq)
    const urls = known.map((row) => String(row.url))
    const deliver = database.prepare(resentForward)
    for (const one of sameUrls(url, urls)) deliver.run(Date.now(), one, seq)
  } catch (error) {
    throw journalError(file, error, 'write')
  } finally {
    database.close()
  }
}
