import { createReadStream } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { UsageError } from '../../contract/index.js'
import { tryParseJson } from '../../shared/json.js'
import type { LockHolder, SqliteLock } from '../../shared/sqlite-lock.js'
import { decodeText, splitLines } from '../input/row-source.js'
import { type Outcome, outcomes, type RowResult } from '../outcome.js'
import { createGroupWriter } from './group-writer.js'
import { OrderReferences } from './order-references.js'
import { type RowState, RowStates } from './row-states.js'

/** What a run is about to send, on the disk before it is sent. */
export interface Intent {
  row: number
  clientOrderReference: string | null
  idempotencyKey: string | null
  /** What makes the row this row: the hash of its body and, where there is one, of the delivery that it is about. */
  bodyHash: string
}

/** The first line of a results file: what the run does and for whom. */
export interface RunHeader {
  operation: string
  /** The profile that the idempotency keys are derived with. */
  profile: string
}

/**
 * The results of a run, one JSON object a line, appended and never changed; also the record from which an interrupted
 * run goes on. Lines with `outcome` are results, the last of a row counts; lines with `intent` and `run` are for
 * resuming.
 */
export interface RunRecord {
  /** Whether the run before this one came to its end. */
  readonly wasComplete: boolean
  /** What is on record of a row with this body. */
  stateOf(row: number, bodyHash: string): RowState | undefined
  /** Another row of this record with the same reference and another body, that is or may be a delivery. */
  clashOf(row: number, clientOrderReference: string, bodyHash: string): number | undefined
  /** Resolves when the intent is on the disk. `serviceMs` is the service's time, if it is known. */
  intend(intent: Intent, serviceMs: number | undefined): Promise<void>
  conclude(result: RowResult): Promise<void>
  /** Notes that the run came to its end. */
  complete(): Promise<void>
  /** Why nothing can be written any more. */
  failure(): unknown
  close(): Promise<void>
}

/**
 * Opens a results file, new or from a run before, and locks it.
 *
 * @throws UsageError where another run holds it, or where it is the record of something else
 */
export async function openRunRecord(path: string, header: RunHeader): Promise<RunRecord> {
  await refuseDevices(path).catch((error: unknown) => unwritable(path, error))
  const lock = await lockResults(path).catch((error: unknown) => unwritable(path, error))
  try {
    const file = await open(path, 'a+', 0o600)
    const history = await readPast(path, header)
    await truncatePartialLine(file)
    const writer = createGroupWriter(file)
    if (history.isEmpty) await writer.appendDurably(JSON.stringify({ run: { version: 1, ...header } }))
    if (!history.isEmpty) await writer.append(JSON.stringify({ run: { resumed: true } }))
    return {
      wasComplete: history.wasComplete,
      stateOf: (row, bodyHash) => history.states.stateOf(row, bodyHash),
      clashOf: (row, reference, bodyHash) => history.references.clashOf(row, reference, bodyHash),
      intend(intent, serviceMs) {
        noteReference(history.references, intent)
        const serviceAt = serviceMs === undefined ? null : new Date(serviceMs).toISOString()
        return writer.appendDurably(JSON.stringify({ intent: { ...intent, serviceAt } }))
      },
      conclude(result) {
        if (!isThere(result.outcome)) history.references.forget(result.row)
        return writer.append(JSON.stringify(result))
      },
      complete: () => writer.append(JSON.stringify({ run: { complete: true } })),
      failure: () => writer.failure(),
      async close() {
        try {
          await writer.finish()
        } finally {
          await file.close()
          lock.release()
        }
      },
    }
  } catch (error) {
    lock.release()
    return unwritable(path, error)
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

interface RowHistory {
  isEmpty: boolean
  wasComplete: boolean
  states: RowStates
  references: OrderReferences
}

function noteReference(references: OrderReferences, { row, clientOrderReference, bodyHash }: Intent): void {
  if (clientOrderReference !== null) references.note(row, clientOrderReference, bodyHash)
}

/** Whether a row with this outcome is a delivery, or may be one. */
function isThere(outcome: Outcome): boolean {
  return outcome !== 'failed' && outcome !== 'conflict'
}

async function readPast(path: string, header: RunHeader): Promise<RowHistory> {
  const history: RowHistory = {
    isEmpty: true,
    wasComplete: false,
    states: new RowStates(),
    references: new OrderReferences(),
  }
  const reading = { bytesRead: 0, bytesTotal: undefined }
  for await (const line of splitLines(decodeText(createReadStream(path), reading))) {
    const entry = parseEntry(line)
    if (entry === undefined) {
      if (history.isEmpty && !headerBegins(line)) throw notARecord(path)
      continue
    }
    if (history.isEmpty) checkHeader(path, entry.run, header)
    history.isEmpty = false
    if (entry.run !== undefined) history.wasComplete = entry.run.complete === true
    else if (entry.intent !== undefined) {
      const { row, serviceAt, bodyHash } = entry.intent
      history.states.intend(row, bodyHash, typeof serviceAt === 'string' ? Date.parse(serviceAt) : undefined)
      noteReference(history.references, entry.intent)
    } else if (typeof entry.row === 'number' && isOutcome(entry.outcome)) {
      history.states.conclude(entry.row, entry.outcome)
      if (!isThere(entry.outcome)) history.references.forget(entry.row)
    }
  }
  return history
}

interface Entry {
  run?: Partial<RunHeader> & { complete?: boolean }
  intent?: Intent & { serviceAt?: string | null }
  row?: number
  outcome?: unknown
}

function parseEntry(line: string): Entry | undefined {
  // A line that a crash cut short is as good as not written.
  const entry = tryParseJson(line)?.value
  return typeof entry === 'object' && entry !== null ? entry : undefined
}

/** Whether a line that is no JSON is a header cut off while it was written, or a line that only ends another. */
function headerBegins(line: string): boolean {
  return line === '' || line.startsWith('{"run":{') || '{"run":{'.startsWith(line)
}

function isOutcome(value: unknown): value is Outcome {
  return (outcomes as readonly unknown[]).includes(value)
}

function checkHeader(path: string, run: Entry['run'], header: RunHeader): void {
  if (run?.operation === undefined) throw notARecord(path)
  if (run.operation === header.operation && run.profile === header.profile) return
  throw new UsageError(
    `${path} is the record of ${run.operation} for the profile "${run.profile}", not of ${header.operation} for "${header.profile}"`,
    { hint: 'Name another file for the results of this run.' },
  )
}

function notARecord(path: string): UsageError {
  return new UsageError(`${path} is not the results file of a run, and is not overwritten`, {
    hint: 'Name another file for the results.',
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

/** A device or a pipe has no past to go on from, and reading it may never end. */
async function refuseDevices(path: string): Promise<void> {
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (stats === undefined || stats.isFile()) return
  throw new UsageError(`${path} is no file in which results can be kept`, {
    hint: 'Name a file: a run resumes from it.',
  })
}
