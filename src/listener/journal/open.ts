import { DlvError } from '../../contract/index.js'
import { isPostgresAddress } from '../../postgres/index.js'
import type { Journal, JournalOptions } from './journal.js'
import type { JournalFinding, JournalReader } from './reader.js'
import { openSqliteJournal } from './sqlite/journal.js'
import { readSqliteJournal } from './sqlite/reader.js'
import { recordSqliteResend, removeSqliteTarget } from './sqlite/targets.js'

/** Whose events of a journal that several accounts share. */
interface AccountsOfJournal {
  /** Their marks; all accounts unless given. */
  accounts?: readonly string[] | undefined
}

/**
 * Opens a journal for writing: a file, or the database of a `postgres://` address.
 *
 * @param env where an address finds what it leaves out, such as PGPASSWORD
 * @throws DlvError if it cannot be opened or written, or another process holds the file
 */
export async function openJournal(
  journal: string,
  options: JournalOptions = {},
  env: NodeJS.ProcessEnv = process.env,
): Promise<Journal> {
  if (!isPostgresAddress(journal)) return openSqliteJournal(journal, options)
  const { openPostgresJournal } = await import('./postgres/journal.js')
  return openPostgresJournal(journal, options, env)
}

/**
 * Opens a journal for reading; listeners may be writing it at the same time.
 *
 * @param options the accounts whose events are read; all of them unless given
 * @throws DlvError if there is none
 */
export async function readJournal(
  journal: string,
  env: NodeJS.ProcessEnv = process.env,
  { accounts }: AccountsOfJournal = {},
): Promise<JournalReader> {
  if (!isPostgresAddress(journal)) return readSqliteJournal(journal, accounts)
  const { readPostgresJournal } = await import('./postgres/journal.js')
  return readPostgresJournal(journal, env, accounts)
}

/**
 * Gives up what waits for a target, and forgets the target; a forwarder that names it makes it one again. Returns how
 * many events were given up. They stay in the journal.
 *
 * @param options the accounts whose events are given up; all of them unless given
 * @throws DlvError if there is no such journal, or a listener holds the file
 */
export async function removeTarget(
  journal: string,
  url: string,
  env: NodeJS.ProcessEnv = process.env,
  { accounts }: AccountsOfJournal = {},
): Promise<number> {
  if (!isPostgresAddress(journal)) return removeSqliteTarget(journal, url, accounts)
  const { removePostgresTarget } = await import('./postgres/targets.js')
  return removePostgresTarget(journal, url, env, accounts)
}

/**
 * Records that an event which was given up for a target has reached it after all; nothing if it was not given up there.
 *
 * @throws DlvError if the journal cannot be written
 */
export async function recordResend(
  journal: string,
  seq: number,
  url: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  if (!isPostgresAddress(journal)) return recordSqliteResend(journal, seq, url)
  const [{ inJournal }, { recordPostgresResend }] = await Promise.all([
    import('./postgres/sessions.js'),
    import('./postgres/targets.js'),
  ])
  await inJournal(journal, env, (connection) => recordPostgresResend(connection, seq, url))
}

/** Checks what a journal needs of its engine, and what it holds. */
export async function* examineJournal(
  journal: string,
  env: NodeJS.ProcessEnv,
  nowMs: () => number,
): AsyncGenerator<JournalFinding> {
  if (isPostgresAddress(journal)) {
    const { examinePostgres } = await import('./postgres/status.js')
    yield* examinePostgres(journal, env, nowMs)
    return
  }
  try {
    const reader = readSqliteJournal(journal)
    const count = await reader.count()
    await reader.close()
    yield { check: 'journal', verdict: 'ok', finding: `${journal}, ${count} events`, hint: null }
  } catch (error) {
    const hint = error instanceof DlvError ? (error.hint ?? null) : null
    const finding = error instanceof Error ? error.message : String(error)
    yield { check: 'journal', verdict: 'problem', finding, hint }
  }
}
