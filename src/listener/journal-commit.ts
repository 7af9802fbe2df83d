import type { DatabaseSync } from 'node:sqlite'
import { UsageError } from '../contract/index.js'
import type { JournalSync } from './journal-sync.js'

/** Writes that become durable together. */
export interface GroupCommit {
  /**
   * Runs a write in the next transaction; resolves once it is on disk. All writes that arrive meanwhile share one sync.
   *
   * @throws UsageError where the disk refused; from then on every write is refused.
   */
  write<Result>(run: () => Result): Promise<Result>
  /** Writes at once what is waiting. */
  flush(): void
  /** Why nothing can be written any more; `undefined` while all is well. */
  failure(): UsageError | undefined
}

interface Job {
  run(): void
  resolve(): void
  reject(error: UsageError): void
}

/**
 * Gathers writes for as long as the last ones are on their way to the disk and the event loop has requests to read, then
 * commits them in one transaction. After a failed commit or sync it writes never again: the system may have dropped what
 * it could not sync, and a second sync that succeeds would prove nothing.
 *
 * @param onFailure called once, with what is to be told to a person
 */
export function groupCommit(
  database: DatabaseSync,
  sync: Pick<JournalSync, 'begin' | 'now'>,
  file: string,
  onFailure: (failure: UsageError) => void,
): GroupCommit {
  let waiting: Job[] = []
  /** Committed, and not yet known to be on the disk. */
  let unsynced: Job[] = []
  let isBusy = false
  let failure: UsageError | undefined

  function schedule(): void {
    if (isBusy) return
    isBusy = true
    setImmediate(() => void writeThrough())
  }

  async function writeThrough(): Promise<void> {
    if (waiting.length > 0) {
      try {
        commit()
        await sync.begin()
        settle()
      } catch (error) {
        fail(error)
      }
    }
    isBusy = false
    if (waiting.length > 0) schedule()
  }

  function commit(): void {
    unsynced = waiting
    waiting = []
    database.exec('BEGIN IMMEDIATE')
    for (const job of unsynced) job.run()
    database.exec('COMMIT')
  }

  function settle(): void {
    for (const job of unsynced) job.resolve()
    unsynced = []
  }

  function flush(): void {
    if (failure !== undefined) return
    const underWay = unsynced
    try {
      if (waiting.length > 0) commit()
      sync.now()
      settle()
      for (const job of underWay) job.resolve()
    } catch (error) {
      unsynced.push(...underWay)
      fail(error)
    }
  }

  function fail(error: unknown): void {
    if (failure !== undefined) return
    const why = error instanceof Error ? error.message : String(error)
    failure = new UsageError(`the journal ${file} can no longer be written: ${why}`, {
      hint: 'Nothing of what failed was acknowledged; the sender will send it again. Make room, then start anew.',
      cause: error,
    })
    for (const { reject } of [...unsynced, ...waiting]) reject(failure)
    unsynced = []
    waiting = []
    onFailure(failure)
    rollBack()
  }

  function rollBack(): void {
    try {
      if (database.isTransaction) database.exec('ROLLBACK')
    } catch {
      // The disk refuses this as well; what was not committed is dropped when the file is opened next.
    }
  }

  return {
    write<Result>(run: () => Result) {
      if (failure !== undefined) return Promise.reject(failure)
      return new Promise<Result>((resolve, reject) => {
        let result: Result
        waiting.push({
          run: () => {
            result = run()
          },
          resolve: () => resolve(result),
          reject,
        })
        schedule()
      })
    },
    flush,
    failure: () => failure,
  }
}
