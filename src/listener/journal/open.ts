import type { Journal, JournalOptions, JournalReader } from './journal.js'
import { openSqliteJournal } from './sqlite/journal.js'
import { readSqliteJournal } from './sqlite/reader.js'

/**
 * Opens a journal for writing.
 *
 * @throws DlvError if it cannot be opened or written, or another process holds the file
 */
export async function openJournal(journal: string, options: JournalOptions = {}): Promise<Journal> {
  return openSqliteJournal(journal, options)
}

/**
 * Opens a journal for reading; listeners may be writing it at the same time.
 *
 * @throws DlvError if there is none
 */
export async function readJournal(journal: string): Promise<JournalReader> {
  return readSqliteJournal(journal)
}
