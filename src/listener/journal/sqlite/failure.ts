import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { UsageError } from '../../../contract/index.js'
import { shellWord } from '../../../shared/command-words.js'
import { isDamaged, isOutOfRoom, outOfRoom } from '../../../shared/sqlite.js'

/** The error for a journal that cannot be used, with the way to repair it if it is damaged. */
export function journalError(
  file: string,
  error: unknown,
  failed: 'open' | 'read' | 'write',
  hint?: string,
): UsageError {
  if (error instanceof UsageError) return error
  // A write that waits for room has a hint of its own.
  if (isOutOfRoom(error) && (failed === 'open' || hint === undefined))
    return outOfRoom(`${failed} the journal`, file, error)
  const why = error instanceof Error ? error.message : String(error)
  return isDamaged(error) || isIncomplete(error)
    ? damagedJournal(file, why, error)
    : new UsageError(`Cannot ${failed} the journal ${file}: ${why}.`, { hint, cause: error })
}

export function damagedJournal(file: string, why: string, cause?: unknown): UsageError {
  const [fresh, recovered] = [JSON.stringify(`${file}.new`), shellWord(`${file}.recovered`)]
  return new UsageError(`The journal ${file} is damaged: ${why}.`, {
    hint: [
      `Fetch what the service still has into a new journal: startListener({ journal: ${fresh} }) and pullEvents({ listener })`,
      `Recover older events from the damaged file: sqlite3 ${shellWord(file)} .recover | sqlite3 ${recovered}`,
    ].join('\n'),
    cause,
  })
}

/** Whether a table or column that every journal has is missing. */
function isIncomplete(error: unknown): boolean {
  return error instanceof Error && /^no such (?:table|column|index)/.test(error.message)
}

/** Runs a read of a journal. @throws UsageError that names the journal, for any failure */
export function reading<Result>(file: string, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    throw journalError(file, error, 'read')
  }
}

/** What has to be free before writing is tried again: less would be full at once. */
const leastFreeBytes = 1_048_576

/** Whether there is room again where a file is, as far as the system tells. */
export function hasRoom(file: string): boolean {
  try {
    const { bavail, bfree, bsize } = statfsSync(dirname(file))
    // The rest of the disk is kept for the administrator.
    return (process.getuid?.() === 0 ? bfree : bavail) * bsize >= leastFreeBytes
  } catch {
    return true
  }
}
