import { existsSync, lstatSync } from 'node:fs'
import { type FileHandle, open, rm, stat } from 'node:fs/promises'
import { UsageError } from '../../contract/index.js'
import type { LockHolder, SqliteLock } from '../../shared/sqlite.js'
import type { RowResult } from '../outcome.js'
import { createGroupWriter, type GroupWriter } from './group-writer.js'
import { type RowState, settledOutcome } from './row-states.js'
import { leavesDelivery, noteReference, type RunHistory, readHistory } from './run-history.js'
import {
  acceptanceSeal,
  type Claim,
  type RowIdentity,
  type RunHeader,
  type RunRecord,
  sealedLine,
} from './run-record.js'

/**
 * Opens and locks a results file; creates it if it does not exist.
 *
 * @throws UsageError if another run has locked it, if it belongs to another operation or owner, or if it is damaged
 */
export async function openFileRecord(path: string, header: RunHeader): Promise<FileRecord> {
  try {
    refuseLink(path)
    await refuseDevices(path)
    const lock = await lockResults(path)
    try {
      return await openLocked(path, header, lock)
    } catch (error) {
      lock.release()
      throw error
    }
  } catch (error) {
    return unwritable(path, error)
  }
}

async function openLocked(path: string, header: RunHeader, lock: SqliteLock): Promise<FileRecord> {
  const isNew = !existsSync(path)
  const file = await open(path, 'a+', 0o600)
  try {
    const history = await readHistory(path, header)
    await truncatePartialLine(file)
    // This line is synced with the first intents, before anything is sent.
    const run = history.isEmpty ? headerLine(header) : { resumed: true }
    await file.appendFile(`${JSON.stringify({ run })}\n`)
    return new FileRecord({ path, file, lock, isNew }, history, header)
  } catch (error) {
    await file.close()
    throw error
  }
}

function headerLine({ operation, owner, seal }: RunHeader): Record<string, unknown> {
  return { version: 1, operation, owner, ...(seal === undefined ? {} : { seal: seal(owner) }) }
}

/**
 * Makes a results file an owner's record, after its deliveries were looked up. Rows that are no success are open
 * again.
 *
 * @throws UsageError if it is the record of another operation, is damaged, or another process writes it
 */
export async function adoptRecord(path: string, header: RunHeader): Promise<void> {
  const lock = await lockResults(path)
  try {
    const history = await readHistory(path, header, false)
    const acceptance = acceptanceSeal(history.digest.digest('hex'), header)
    const file = await open(path, 'a')
    try {
      await file.appendFile(`\n${JSON.stringify({ run: { ...headerLine(header), accepted: true, acceptance } })}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
  } finally {
    lock.release()
  }
}

/** An open results file of this process. */
interface LockedFile {
  path: string
  file: FileHandle
  lock: SqliteLock
  /** Whether this run created it. */
  isNew: boolean
}

/**
 * A record in an append-only NDJSON file. Lines with `outcome` are results; the last one of a row counts. Lines with
 * `intent` and `run` are for resuming.
 */
class FileRecord implements RunRecord {
  /** Many intents share one write to the disk. */
  readonly ahead = 1_024
  readonly #writer: GroupWriter
  #isUnused: boolean
  /** The number of the last row that this run has come to. */
  #rows = 0
  /** The history of rows without a known outcome by their body: a row that moved is known by it. */
  readonly #open: ReadonlyMap<string, RowState>

  constructor(
    private readonly place: LockedFile,
    private readonly history: RunHistory,
    private readonly header: RunHeader,
  ) {
    this.#writer = createGroupWriter(place.file)
    this.#isUnused = place.isNew
    this.#open = openRows(history)
  }

  async claim(rows: readonly RowIdentity[], serviceMs: number | undefined): Promise<readonly Claim[]> {
    for (const { row } of rows) this.#rows = Math.max(this.#rows, row)
    const claims = rows.map((row) => this.#claimOf(row))
    const unsent = rows.filter((_, at) => {
      const claim = claims[at]
      return claim?.kind === 'own' && !claim.wasSent
    })
    if (unsent.length > 0) await this.#writeIntents(unsent, serviceMs)
    return claims
  }

  /** The claim that earlier runs leave of a row. */
  #claimOf({ row, clientOrderReference, bodyHash }: RowIdentity): Claim {
    const { states, references } = this.history
    const outcome = settledOutcome(this.history, row, bodyHash)
    if (outcome !== undefined) return { kind: 'settled', outcome }
    const {
      wasSent = false,
      sentAtMs,
      idempotencyKey,
    } = states.stateOf(row, bodyHash) ?? this.#open.get(bodyHash) ?? {}
    const clashingRow = () =>
      clientOrderReference === null ? undefined : references.clashOf(row, clientOrderReference, bodyHash)
    return { kind: 'own', wasSent, sentAtMs, idempotencyKey, clashingRow }
  }

  #writeIntents(rows: readonly RowIdentity[], serviceMs: number | undefined): Promise<void> {
    this.#isUnused = false
    const serviceAt = serviceMs === undefined ? null : new Date(serviceMs).toISOString()
    const lines = rows.map(({ row, clientOrderReference, idempotencyKey, bodyHash }) => {
      noteReference(this.history.references, { row, clientOrderReference, bodyHash })
      this.history.begun.set(row, bodyHash)
      return JSON.stringify({ intent: { row, clientOrderReference, idempotencyKey, bodyHash, serviceAt } })
    })
    return this.#writer.appendDurably(lines.join('\n'))
  }

  complete(result: RowResult): Promise<void> {
    this.#isUnused = false
    this.#rows = Math.max(this.#rows, result.row)
    if (!leavesDelivery(result.outcome)) this.history.references.forget(result.row)
    const { begun } = this.history
    const line = sealedLine(JSON.stringify(result), begun.get(result.row), this.header)
    if (result.outcome !== 'unknown') begun.delete(result.row)
    return this.#writer.append(line)
  }

  flush(): void {
    this.#writer.flush()
  }

  finish(): Promise<void> {
    const written = this.#writer.append(JSON.stringify({ run: { complete: true, rows: this.#rows } }))
    this.#writer.flush()
    return written
  }

  failure(): unknown {
    return this.#writer.failure()
  }

  async close(): Promise<void> {
    const { file, path, lock } = this.place
    try {
      await this.#writer.finish()
    } finally {
      await file.close()
      // An input without rows leaves nothing behind.
      if (this.#isUnused) await rm(path, { force: true })
      lock.release()
    }
  }
}

function openRows({ begun, states }: RunHistory): ReadonlyMap<string, RowState> {
  return new Map(
    [...begun].flatMap(([row, bodyHash]) => {
      const state = states.stateOf(row, bodyHash)
      return state === undefined ? [] : [[bodyHash, state] as const]
    }),
  )
}

/** Whether an earlier run is done with a row, so that a run would skip it. */
export type IsSettled = (row: Pick<RowIdentity, 'row' | 'bodyHash'>) => boolean

/**
 * Checks a results file without changing it; one that does not exist is fine.
 *
 * @returns which rows a run on that file would skip
 * @throws UsageError if it belongs to another operation or owner, or is damaged
 */
export async function checkRunRecord(path: string, header: RunHeader): Promise<IsSettled> {
  try {
    await refuseDevices(path)
    const history = await readHistory(path, header)
    return ({ row, bodyHash }) => settledOutcome(history, row, bodyHash) !== undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') unwritable(path, error)
    return () => false
  }
}

/** SQLite is loaded only here, because a command that creates one order does not need it. */
async function lockResults(path: string): Promise<SqliteLock> {
  const { acquireSqliteLock } = await import('../../shared/sqlite.js')
  return acquireSqliteLock(`${path}.lock`, (holder) => inUse(path, holder))
}

function inUse(path: string, holder: LockHolder | undefined): UsageError {
  const who = holder === undefined ? 'another process' : `process ${holder.pid}, started ${holder.startedAt}`
  return new UsageError(`Another run is writing ${path} (${who})`, {
    hint: 'Wait for it to end, or name another file for the results.',
  })
}

/** Removes a partial last line that a crash or a full disk left: it counts as not written, and is not valid JSON. */
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

/** Turns an error of the file system, or of SQLite on it, into a `UsageError`. */
function unwritable(path: string, error: unknown): never {
  if (!(error instanceof Error && ('syscall' in error || 'errcode' in error))) throw error
  throw new UsageError(`${path} cannot be written: ${error.message}`, {
    cause: error,
    hint: 'Name another file for the results.',
  })
}

/** A dangling link would make a file elsewhere, and two names of one file have two locks. */
function refuseLink(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return
  throw new UsageError(`Results cannot be kept in ${path}: it is a symbolic link`, {
    hint: 'Name the file that it leads to, or another one.',
  })
}

/** Refuses devices and pipes: a run cannot resume from one, and reading it may never end. */
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
