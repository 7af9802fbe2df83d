import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'

/** Brings what was committed to the disk. */
export interface JournalSync {
  /** Resolves once everything that was committed before the call is on the disk; the thread goes on meanwhile. */
  begin(): Promise<void>
  /** The same at once. */
  now(): void
  close(): void
}

/**
 * Takes the sync of each commit over from SQLite, which would hold up every request for it: what is committed stands in
 * the write-ahead log, and that file is synced beside the requests. SQLite goes on syncing when it moves the log into the
 * database. Where the file system allows no such log, SQLite keeps syncing each commit itself.
 */
export function journalSync(database: DatabaseSync, file: string): JournalSync {
  const mode = database.prepare('PRAGMA journal_mode').get()?.journal_mode
  if (mode !== 'wal') return { begin: async () => {}, now: () => {}, close: () => {} }
  // Opened for writing, as Windows wants it of whoever syncs. The log stays one file for as long as the database is open.
  const log = openSync(`${file}-wal`, 'r+')
  database.exec('PRAGMA synchronous = NORMAL')
  let underWay = 0
  let isClosed = false
  return {
    begin: () =>
      new Promise((resolve, reject) => {
        underWay++
        fdatasync(log, (error) => {
          underWay--
          if (isClosed && underWay === 0) closeSync(log)
          if (error === null) resolve()
          else reject(error)
        })
      }),
    now: () => fdatasyncSync(log),
    close() {
      isClosed = true
      if (underWay === 0) closeSync(log)
    },
  }
}
