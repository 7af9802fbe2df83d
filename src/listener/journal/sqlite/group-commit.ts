import type { UsageError } from '../../../contract/index.js'
import type { Appended } from '../event.js'
import type { Committed } from '../journal.js'
import { journalError } from './failure.js'
import type { EventWrite, GroupOutcome, GroupWriter, JournalWrite, Settle, SmallWrite } from './writes.js'

/** Writes that become durable together. */
export interface GroupCommit {
  /**
   * Takes a write into the next transaction; resolves once it is on disk. All writes that arrive meanwhile share one
   * sync.
   *
   * @throws UsageError if the disk refused; from then on every write is refused.
   */
  write(change: EventWrite): Promise<Appended>
  write(change: SmallWrite): Promise<undefined>
  /** Resolves once nothing waits, nothing is under way, and the writer has ended. */
  close(): Promise<void>
  /** Writes never again: something else has shown that the file cannot be used. */
  abandon(error: unknown): void
  /** Why nothing can be written any more; `undefined` while all is well. */
  failure(): UsageError | undefined
}

const fullDiskHint =
  'What failed was not acknowledged: the sender will send it again. Make room on the disk, then restart.'

interface Job {
  change: JournalWrite
  resolve(appended: Appended | undefined): void
  reject(error: UsageError): void
}

/**
 * Gathers writes until the writer takes them, and has each group committed in one transaction. A commit that fails is the
 * last: the system may have dropped what it could not sync, and a second sync that succeeds would prove nothing.
 *
 * @param writerFor makes the writer, which tells how groups end
 * @param onFailure called once, with what is to be told to a person
 */
export function groupCommit(
  writerFor: (settle: Settle) => GroupWriter,
  file: string,
  onFailure: (failure: UsageError) => void,
  onCommitted?: (committed: Committed) => void,
): GroupCommit {
  let jobs: Job[] = []
  /** Handed over, in this order. */
  let underWay: Job[] = []
  let isScheduled = false
  let failure: UsageError | undefined
  let onDrained = () => {}
  const writer = writerFor(settle)

  function flush() {
    isScheduled = false
    if (jobs.length === 0) {
      if (underWay.length === 0) onDrained()
    } else if (writer.takes(jobs.length, true)) start()
  }

  function start() {
    const group = jobs
    jobs = []
    for (const job of group) underWay.push(job)
    writer.write(group.map(({ change }) => change))
  }

  function settle(outcome: GroupOutcome) {
    if ('error' in outcome) fail(outcome.error)
    else {
      const { appended, seconds } = outcome
      const settled = underWay.splice(0, appended.length)
      let events = 0
      for (const one of appended) if (one !== undefined) events++
      if (events > 0) onCommitted?.({ seconds, events })
      for (let at = 0; at < settled.length; at++) settled[at]?.resolve(appended[at])
    }
    if (!isScheduled) flush()
  }

  function fail(error: unknown) {
    if (failure === undefined) {
      failure = journalError(file, error, 'write', fullDiskHint)
      onFailure(failure)
    }
    const waiting = [...underWay, ...jobs]
    underWay = []
    jobs = []
    for (const { reject } of waiting) reject(failure)
  }

  function write(change: EventWrite): Promise<Appended>
  function write(change: SmallWrite): Promise<undefined>
  function write(change: JournalWrite): Promise<Appended | undefined> {
    if (failure !== undefined) return Promise.reject(failure)
    return new Promise((resolve, reject) => {
      jobs.push({ change, resolve, reject })
      if (writer.takes(jobs.length, false)) start()
      else if (!isScheduled) {
        isScheduled = true
        setImmediate(flush)
      }
    })
  }

  return {
    write,
    async close() {
      await new Promise<void>((resolve) => {
        onDrained = resolve
        flush()
      })
      await writer.close()
    },
    abandon: fail,
    failure: () => failure,
  }
}
