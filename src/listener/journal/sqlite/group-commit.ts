import type { DlvError } from '../../../contract/index.js'
import { isOutOfRoom, outOfRoom } from '../../../shared/sqlite.js'
import type { Appended } from '../event.js'
import type { JournalFailure, JournalOptions } from '../journal.js'
import { hasRoom, journalError } from './failure.js'
import type { EventWrite, GroupOutcome, GroupWriter, JournalWrite, Settle, SmallWrite } from './writes.js'

/** Writes that become durable together. */
export interface GroupCommit {
  /**
   * Takes a write into the next transaction; resolves once it is on disk. All writes that arrive meanwhile share one
   * sync.
   *
   * @throws UsageError if the disk refused; from then on every write is refused, for good or until there is room again.
   */
  write(change: EventWrite): Promise<Appended>
  write(change: SmallWrite): Promise<undefined>
  /** Resolves once nothing waits, nothing is under way, and the writer has ended. */
  close(): Promise<void>
  /** Writes never again: something else has shown that the file cannot be used. */
  abandon(error: unknown): void
  /** Resolves with `true` once writes can be tried again, and with `false` if there will be none. */
  isUpAgain(): Promise<boolean>
  /** Why nothing can be written; `undefined` while all is well. */
  failure(): JournalFailure | undefined
}

const fullDiskHint =
  'What failed was not acknowledged: the sender will send it again. Make room on the disk, then restart.'
const passingHint =
  'What failed was not acknowledged: the sender will send it again. Make room on the disk, and it continues.'

/** Interval at which a disk without room is tried again. */
const triedEveryMs = 1_000

interface Job {
  change: JournalWrite
  resolve(appended: Appended | undefined): void
  reject(error: unknown): void
}

interface GroupCommitOptions extends Pick<JournalOptions, 'onFailure' | 'onOutage' | 'onCommitted' | 'maxBytes'> {
  file: string
  /** Makes the writer, which tells how groups end. */
  writerFor(settle: Settle): GroupWriter
}

/**
 * Gathers writes until the writer takes them, and has each group committed in one transaction. A commit that fails is the
 * last, but for want of room: then what comes is refused until a write succeeds.
 */
export function groupCommit({ file, writerFor, ...options }: GroupCommitOptions): GroupCommit {
  const { onFailure, onOutage, onCommitted } = options
  let jobs: Job[] = []
  /** Handed over, in this order. */
  const underWay: Job[] = []
  let isScheduled = false
  let failure: JournalFailure | undefined
  const waiting: ((isUp: boolean) => void)[] = []
  let trying: NodeJS.Timeout | undefined
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
    if ('error' in outcome) fail(outcome.error, outcome.failed)
    else {
      recovered()
      const { appended, seconds } = outcome
      const settled = underWay.splice(0, appended.length)
      let events = 0
      for (const one of appended) if (one !== undefined) events++
      if (events > 0) onCommitted?.({ seconds, events })
      for (let at = 0; at < settled.length; at++) settled[at]?.resolve(appended[at])
    }
    if (!isScheduled) flush()
  }

  function fail(error: unknown, failed = Number.POSITIVE_INFINITY) {
    // A journal that may not outgrow a size stays full.
    const isPassing = isOutOfRoom(error) && options.maxBytes === undefined
    if (failure?.kind !== 'fatal') {
      const known = isPassing
        ? outOfRoom('write the journal', file, error, passingHint)
        : journalError(file, error, 'write', fullDiskHint)
      if (isPassing) interrupted(known)
      else {
        failure = { kind: 'fatal', error: known }
        onFailure?.(known)
        release(false)
      }
    }
    const refused = underWay.splice(0, isPassing ? failed : underWay.length)
    if (!isPassing) refused.push(...jobs.splice(0))
    for (const { reject } of refused) reject(failure?.error ?? error)
  }

  /** Nothing can be written until there is room. */
  function interrupted(error: DlvError) {
    if (failure === undefined) {
      failure = { kind: 'unavailable', error, sinceMs: Date.now() }
      onOutage?.(error)
    }
    trying ??= setInterval(() => {
      if (hasRoom(file)) add({ kind: 'probe', atMs: Date.now() }).catch(() => {})
    }, triedEveryMs)
  }

  function recovered() {
    if (failure?.kind !== 'unavailable') return
    failure = undefined
    release(true)
    onOutage?.(undefined)
  }

  function release(isUp: boolean) {
    clearInterval(trying)
    trying = undefined
    for (const resolve of waiting.splice(0)) resolve(isUp)
  }

  function write(change: EventWrite): Promise<Appended>
  function write(change: SmallWrite): Promise<undefined>
  function write(change: JournalWrite): Promise<Appended | undefined> {
    return failure === undefined ? add(change) : Promise.reject(failure.error)
  }

  function add(change: JournalWrite): Promise<Appended | undefined> {
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
    isUpAgain: () =>
      failure?.kind === 'unavailable' && trying !== undefined
        ? new Promise((resolve) => waiting.push(resolve))
        : Promise.resolve(failure === undefined),
    async close() {
      release(false)
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
