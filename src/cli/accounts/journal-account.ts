import type { JournalReader, OtherAccount } from '../../listener/index.js'
import { type AccountRecord, readAccounts } from '../../profiles/index.js'
import { journalFileOf } from '../journal/place.js'
import type { Notices } from '../output/notices.js'
import { databaseAccount } from './database-account.js'

/** An account as a journal knows it. */
export interface JournalAccount {
  /** What its events are kept under. */
  mark: string
  /** What is read for it: also what listeners kept that named no account. */
  read: readonly string[]
}

/**
 * The account in a journal, which other accounts and machines may share: in its own file by its mark, elsewhere as the
 * journal recognizes it by its key.
 *
 * @param isWriting whether the journal is to remember it
 * @throws DlvError if the journal cannot be used
 */
export async function accountInJournal(
  place: string,
  account: AccountRecord,
  around: { apiKey: string | undefined; dataDir: string; env: NodeJS.ProcessEnv; isWriting: boolean },
): Promise<JournalAccount> {
  const { apiKey, dataDir, env, isWriting } = around
  const earlier = account.earlierMarks ?? []
  if (place === journalFileOf(dataDir, account.dataName)) return journalAccount(account.mark, earlier)
  const { journalMarks } = await import('../../listener/internal.js')
  const [mark = account.mark] = await journalMarks(place, [databaseAccount(account, apiKey)], { env, isWriting })
  return journalAccount(mark, [account.mark, ...earlier])
}

function journalAccount(mark: string, others: readonly string[]): JournalAccount {
  return { mark, read: [...new Set([mark, ...others, ''])] }
}

/** Says how many events of other accounts a journal keeps, which are left alone. */
export async function sayOthers(
  journal: Pick<JournalReader, 'others'>,
  dataDir: string,
  notices: Pick<Notices, 'notice'>,
): Promise<void> {
  const others = (await journal.others()).filter(({ account }) => account !== '')
  const text = othersText(others, readAccounts(dataDir))
  if (text !== undefined) notices.notice(text)
}

/** A sentence about the events of other accounts; `undefined` if there are none. */
function othersText(others: readonly OtherAccount[], accounts: readonly AccountRecord[]): string | undefined {
  const count = others.reduce((sum, { events }) => sum + events, 0)
  if (count === 0) return undefined
  const labels = others.flatMap(({ account }) => accounts.find(({ mark }) => mark === account)?.label ?? [])
  const named = labels.length === others.length && labels.length <= 3 ? ` (${labels.join(', ')})` : ''
  const whose = others.length === 1 ? `another account${named}` : `${others.length} other accounts${named}`
  return `The journal also keeps ${count.toLocaleString('en-US')} ${count === 1 ? 'event' : 'events'} of ${whose}, left alone here.`
}
