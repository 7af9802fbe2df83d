import { existsSync, renameSync } from 'node:fs'
import { UsageError } from '../../contract/index.js'
import { isDamaged } from '../../shared/sqlite.js'

/** A sandbox file whose content is not what was written to it. */
export class DamagedFileError extends UsageError {}

/** The error as a `DamagedFileError` if it says that the file is damaged; otherwise the error itself. */
export function withDamageNamed(path: string, error: unknown): unknown {
  return isDamaged(error) ? damagedFile(path, error) : error
}

export function damagedFile(path: string, cause?: unknown): DamagedFileError {
  const reason = cause instanceof Error ? `: ${cause.message}` : ''
  return new DamagedFileError(`The sandbox file ${path} is damaged${reason}.`, {
    hint: 'Restore a snapshot, or start it with { replaceDamaged: true } for an empty state. Either keeps the damaged file beside the new one.',
    cause,
  })
}

/** The finding of SQLite's integrity check, on one line, without the report's first line, which names the database. */
export function findingOf(report: unknown): string {
  return String(report).split('\n').at(-1) ?? ''
}

/** SQLite's primary result codes for a file that is read-only, fails to be read, is on a full disk or cannot be opened. */
const fileFailures: ReadonlySet<number> = new Set([8, 10, 13, 14])

/** Whether the file system refused something: a full disk, a missing right, a directory in the place of a file. */
export function isFileFailure(error: unknown): error is Error {
  if (!(error instanceof Error)) return false
  const { errcode, syscall } = error as NodeJS.ErrnoException & { errcode?: number }
  return errcode === undefined ? syscall !== undefined : fileFailures.has(errcode & 0xff)
}

/** Renames a damaged file and what SQLite keeps beside it. Answers with its new name. */
export function setAside(path: string): string {
  const kept = `${path}.damaged-${new Date().toISOString().replaceAll(':', '-')}`
  for (const suffix of ['', '-wal', '-shm']) if (existsSync(path + suffix)) renameSync(path + suffix, kept + suffix)
  return kept
}
