import type { DatabaseSync } from 'node:sqlite'
import type { UsageError } from '../../../contract/index.js'
import type { Committed } from '../journal.js'
import { journalError } from './failure.js'

/** Writes that become durable together. */
export interface GroupCommit {
  /**
   * Runs a write in the next transaction; resolves once it is on disk. All writes that arrive meanwhile share one sync.
   * `events` is how many events it takes.
   *
   * @throws UsageError if the disk refused; from then on every write is refused.
   */
  write<Result>(run: () => Result, events?: number): Promise<Result>
  /** Writes at once what is waiting. */
  flush(): void
  /** Writes never again: something else has shown that the file cannot be used. */
  abandon(error: unknown): void
  /** Why nothing can be written any more; `undefined` while all is well. */
  failure(): UsageError | undefined
}

const fullDiskHint =
  'What failed was not acknowledged: the sender will send it again. Make room on the disk, then restart.'

interface Job {
  events: number
  run(): unknown
  result: unknown
  resolve(result: unknown): void
  reject(error: UsageError): void
}

/**
 * Gathers writes for as long as the event loop has requests to read, then commits them in one transaction. After a
 * failed commit it writes never again: the system may have dropped what it could not sync, and a second sync that
 * succeeds would prove nothing.
 *
 * @param onFailure called once, with what is to be told to a person
 */
export function groupCommit(
  database: DatabaseSync,
  file: string,
  onFailure: (failure: UsageError) => void,
  onCommitted?: (committed: Committed) => void,
): GroupCommit {
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  let jobs: Job[] = []
  let failure: UsageError | undefined

  function flush() {
    const group = jobs
    jobs = []
    if (group.length === 0) return
    const startedAt = performance.now()
    try {
      begin.run()
      let events = 0
      for (const job of group) {
        job.result = job.run()
        events += job.events
      }
      commit.run()
      if (events > 0) onCommitted?.({ seconds: (performance.now() - startedAt) / 1_000, events })
      for (const job of group) job.resolve(job.result)
    } catch (error) {
      fail(error, group)
    }
  }

  function fail(error: unknown, group: Job[]) {
    if (failure === undefined) {
      failure = journalError(file, error, 'write', fullDiskHint)
      onFailure(failure)
    }
    for (const job of group) job.reject(failure)
    rollBack()
  }

  function rollBack() {
    try {
      if (database.isTransaction) database.exec('ROLLBACK')
    } catch {
      // The disk refuses this as well; what was not committed is dropped when the file is opened next.
    }
  }

  return {
    write<Result>(run: () => Result, events = 0) {
      if (failure !== undefined) return Promise.reject(failure)
      return new Promise<Result>((resolve, reject) => {
        if (jobs.length === 0) setImmediate(flush)
        jobs.push({ events, run, result: undefined, resolve: (result) => resolve(result as Result), reject })
      })
    },
    flush,
    abandon(error) {
      fail(error, jobs.splice(0))
    },
    failure: () => failure,
  }
}
