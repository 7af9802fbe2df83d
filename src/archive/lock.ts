import { UsageError } from '../contract/index.js'
import { sleep } from '../shared/sleep.js'
import { acquireSqliteLock, type LockHolder, lockHolder, type SqliteLock } from '../shared/sqlite.js'
import type { ArchivePaths } from './database.js'

const lockPollMs = 100

/** The lock of an account's archive: one process writes, and others read. */
function lockOf({ archive }: ArchivePaths): string {
  return `${archive}.lock`
}

/** The process that writes an archive now; `undefined` if none does. */
export function archiveWriter(paths: ArchivePaths): LockHolder | undefined {
  return lockHolder(lockOf(paths))
}

/** How another process that writes the archive is waited for. */
export interface LockOptions {
  /** This machine's clock, in milliseconds since the epoch. */
  nowMs: () => number
  /** Ends waiting for another process. */
  signal?: AbortSignal | undefined
  /** Called once if another process is writing the archive. */
  onWait?: ((holder: LockHolder) => void) | undefined
  /** For how long another process is waited for. Default: without a limit. */
  waitMs?: number | undefined
}

/**
 * Takes the lock of an archive, once no other process has it.
 *
 * @throws ArchiveInUse if another process still has it after `waitMs`
 */
export async function lockArchive(
  paths: ArchivePaths,
  { signal, onWait, waitMs, nowMs }: LockOptions,
): Promise<SqliteLock> {
  const startedMs = nowMs()
  let isSaid = false
  for (;;) {
    let holder: LockHolder | undefined
    try {
      return acquireSqliteLock(lockOf(paths), (found) => {
        holder = found
        return new ArchiveInUse(paths.archive, found)
      })
    } catch (error) {
      if (!(error instanceof ArchiveInUse)) throw error
      if (signal?.aborted || (waitMs !== undefined && nowMs() - startedMs >= waitMs)) throw error
      if (!isSaid && holder !== undefined) {
        isSaid = true
        onWait?.(holder)
      }
    }
    await sleep(lockPollMs, signal)
  }
}

/** Another process writes the archive. */
export class ArchiveInUse extends UsageError {
  constructor(file: string, holder: LockHolder | undefined) {
    const who = holder === undefined ? 'another process' : `process ${holder.pid}, since ${holder.startedAt}`
    super(`The archive ${file} is being written by ${who}.`, {
      hint: 'One process writes an archive; others read it meanwhile. Wait for it, or stop it.',
    })
  }
}
