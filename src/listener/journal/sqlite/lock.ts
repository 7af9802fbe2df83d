import { UsageError } from '../../../contract/index.js'
import { acquireSqliteLock, type LockHolder, type SqliteLock } from '../../../shared/sqlite-lock.js'
import { opening } from './schema.js'

/**
 * Takes the right to write a journal, or says who has it. Readers need no lock.
 *
 * @throws UsageError if another process, or this one, holds it already, or the directory cannot be written
 */
export function lockJournal(journalFile: string): SqliteLock {
  return opening(journalFile, () => acquireSqliteLock(`${journalFile}.lock`, (holder) => inUse(journalFile, holder)))
}

function inUse(journalFile: string, holder: LockHolder | undefined): UsageError {
  const who = holder === undefined ? 'another process' : `process ${holder.pid}, since ${holder.startedAt}`
  return new UsageError(`The journal ${journalFile} is in use by ${who}.`, {
    hint: 'One listener writes a journal. Stop the other one, or use another data directory (DLV_DATA_DIR).',
  })
}
