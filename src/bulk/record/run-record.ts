import { existsSync } from 'node:fs'
import { type FileHandle, open, rm, stat } from 'node:fs/promises'
import { UsageError } from '../../contract/index.js'
import type { LockHolder, SqliteLock } from '../../shared/sqlite-lock.js'
import type { Outcome, RowResult } from '../outcome.js'
import { createGroupWriter } from './group-writer.js'
import type { RowState } from './row-states.js'
import { type Intent, isThere, noteReference, type RunHeader, readHistory } from './run-history.js'

/** What the record knows of a row that is about to be sent. */
export type Intended =
  /** It is the caller's, and may have been sent before. */
  | { kind: 'resumed'; sentAtMs: number | undefined; idempotencyKey: string | undefined }
  | { kind: 'settled'; outcome: Outcome }
  /** Another process is carrying it out. */
  | { kind: 'elsewhere' }

/** Intents of a file are written ahead of the sending: many share one write to the disk. */
const intendedAhead = 1_024

/**
 * The results of a run, one JSON object a line, appended and never changed; also the record from which an interrupted
 * run resumes. Lines with `outcome` are results, the last of a row counts; lines with `intent` and `run` are for
 * resuming.
 */
export interface RunRecord {
  /** Rows that may be begun before there is room to send them. */
  readonly ahead: number
  /** Whether the run before this one came to its end. */
  readonly wasComplete: boolean
  /** What is on record of a row with this body. */
  stateOf(row: number, bodyHash: string): RowState | undefined
  /** Another row of this record with the same reference and another body, that is or may be a delivery. */
  clashOf(row: number, clientOrderReference: string, bodyHash: string): number | undefined
  /**
   * Resolves when the intents are kept. `serviceMs` is the service's time, if it is known.
   *
   * @returns what is known of each row, unless it is new and the caller's; `undefined` if all of them are
   */
  intend(
    intents: readonly Intent[],
    serviceMs: number | undefined,
  ): Promise<readonly (Intended | undefined)[] | undefined>
  /** Resolves when the result is kept; results that are kept together may have the same promise. */
  conclude(result: RowResult): Promise<void>
  /** Keeps the results so far without waiting for more. */
  flush(): void
  /** Notes that the run came to its end. */
  complete(): Promise<void>
  /** Why nothing can be written any more. */
  failure(): unknown
  close(): Promise<void>
}

/**
 * Opens a results file, new or from a run before, and locks it.
 *
 * @throws UsageError if another run holds it, if it is the record of something else, or if it is damaged
 */
export async function openRunRecord(path: string, header: RunHeader): Promise<RunRecord> {
  await refuseDevices(path).catch((error: unknown) => unwritable(path, error))
  const lock = await lockResults(path).catch((error: unknown) => unwritable(path, error))
  let opened: FileHandle | undefined
  try {
    let isUnused = !existsSync(path)
    const file = await open(path, 'a+', 0o600)
    opened = file
    const history = await readHistory(path, header)
    await truncatePartialLine(file)
    // It reaches the disk with the first intents, before anything is sent.
    const run = history.isEmpty ? { version: 1, ...header } : { resumed: true }
    await file.appendFile(`${JSON.stringify({ run })}\n`)
    const writer = createGroupWriter(file)
    return {
      ahead: intendedAhead,
      wasComplete: history.wasComplete,
      stateOf: (row, bodyHash) => history.states.stateOf(row, bodyHash),
      clashOf: (row, reference, bodyHash) => history.references.clashOf(row, reference, bodyHash),
      intend(intents, serviceMs) {
        isUnused = false
        const serviceAt = serviceMs === undefined ? null : new Date(serviceMs).toISOString()
        const lines = intents.map((intent) => {
          noteReference(history.references, intent)
          return JSON.stringify({ intent: { ...intent, serviceAt } })
        })
        return writer.appendDurably(lines.join('\n')).then(() => undefined)
      },
      conclude(result) {
        isUnused = false
        if (!isThere(result.outcome)) history.references.forget(result.row)
        return writer.append(JSON.stringify(result))
      },
      flush: () => writer.flush(),
      complete() {
        const written = writer.append(JSON.stringify({ run: { complete: true } }))
        writer.flush()
        return written
      },
      failure: () => writer.failure(),
      async close() {
        try {
          await writer.finish()
        } finally {
          await file.close()
          // An input without rows leaves nothing behind.
          if (isUnused) await rm(path, { force: true })
          lock.release()
        }
      },
    }
  } catch (error) {
    await opened?.close()
    lock.release()
    return unwritable(path, error)
  }
}

/**
 * Checks a results file without changing it; one that does not exist is fine.
 *
 * @throws UsageError if it is the record of something else, or damaged
 */
export async function checkRunRecord(path: string, header: RunHeader): Promise<void> {
  try {
    await refuseDevices(path)
    await readHistory(path, header)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') unwritable(path, error)
  }
}

/** SQLite is loaded only here: a command that creates one order does without it. */
async function lockResults(path: string): Promise<SqliteLock> {
  const { acquireSqliteLock } = await import('../../shared/sqlite-lock.js')
  return acquireSqliteLock(`${path}.lock`, (holder) => inUse(path, holder))
}

function inUse(path: string, holder: LockHolder | undefined): UsageError {
  const who = holder === undefined ? 'another process' : `process ${holder.pid}, started ${holder.startedAt}`
  return new UsageError(`Another run is writing ${path} (${who})`, {
    hint: 'Wait for it to end, or name another file with --results.',
  })
}

/** Takes off a last line that a crash or a full disk cut short: as good as not written, and no JSON for other readers. */
async function truncatePartialLine(file: FileHandle): Promise<void> {
  const { size } = await file.stat()
  const block = Buffer.alloc(65_536)
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - block.length)
    const { bytesRead } = await file.read(block, 0, end - start, start)
    const lineEnd = block.subarray(0, bytesRead).lastIndexOf(10)
    if (lineEnd >= 0 || start === 0) {
      const whole = start + lineEnd + 1
      if (whole < size) await file.truncate(whole)
      return
    }
    end = start
  }
}

/** What the file system refuses, itself or through SQLite, is for the caller to put right, in plain words. */
function unwritable(path: string, error: unknown): never {
  if (!(error instanceof Error && ('syscall' in error || 'errcode' in error))) throw error
  throw new UsageError(`${path} cannot be written: ${error.message}`, {
    cause: error,
    hint: 'Name another file for the results.',
  })
}

/** A device or a pipe has nothing to resume from, and reading it may never end. */
async function refuseDevices(path: string): Promise<void> {
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (stats === undefined || stats.isFile()) return
  throw new UsageError(`Results cannot be kept in ${path}`, {
    hint: 'Name a file: a run resumes from it.',
  })
}
