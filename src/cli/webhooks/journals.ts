import type { JournalReader } from '../../listener/index.js'
import { type AccountRecord, accountName, isKeyless, noProfile } from '../../profiles/index.js'
import { accountInJournal, type JournalAccount, sayOthers } from '../accounts/journal-account.js'
import { journalFileOf, journalPlace, missingJournal } from '../journal/place.js'
import type { Session } from '../session/session.js'

interface AccountUse {
  isWriting?: boolean
  /** Default: the session's. */
  account?: AccountRecord
}

/** The journal of a session: that of `--journal` or `DLV_JOURNAL`, otherwise a file of the account. */
export class Journals {
  /** @param flag the value of `--journal` */
  constructor(
    private readonly session: Session,
    private readonly flag?: string,
  ) {}

  /**
   * The journal of this account, opened for reading; closed with the command. `undefined` if it does not exist yet.
   *
   * @throws UsageError if `--journal` names one that does not exist
   */
  async ifAny(): Promise<JournalReader | undefined> {
    const place = await this.place()
    const missing = missingJournal(this.session.context, place, this.flag)
    if (missing !== undefined && this.flag !== undefined) throw missing
    return missing === undefined ? this.openToRead(place) : undefined
  }

  /** The journal of this account. Throws `UsageError` if it does not exist yet. */
  async open(): Promise<JournalReader> {
    const place = await this.place()
    const missing = missingJournal(this.session.context, place, this.flag)
    if (missing !== undefined) throw missing
    return this.openToRead(place)
  }

  private async openToRead(place: string): Promise<JournalReader> {
    const { readJournal } = await import('../../listener/index.js')
    const { read } = await this.account(place)
    const journal = await readJournal(place, this.session.context.env, { accounts: read })
    this.session.onClose(() => journal.close())
    if (!this.saidOthers) await sayOthers(journal, this.session.config.dataDir, this.session.notices)
    this.saidOthers = true
    return journal
  }

  private saidOthers = false

  /** The account of the session as a journal knows it; one that is written to remembers it. */
  async account(place: string, { isWriting = false, account }: AccountUse = {}): Promise<JournalAccount> {
    const { account: own, context, config } = this.session
    const known = await own.settings({ needsKey: false })
    const { apiKey } = known.isKeyUnread ? await own.settings() : known
    const around = { apiKey, dataDir: config.dataDir, env: context.env, isWriting }
    return accountInJournal(place, account ?? (await own.identity()), around)
  }

  /**
   * The journal of `--journal` or `DLV_JOURNAL`; otherwise a file, one per account. Says once if that is all that an
   * address has because no key is known.
   */
  async place(): Promise<string> {
    const place = journalPlace(this.session.context, this.flag)
    if (place !== undefined) return place
    const settings = await this.session.account.settings({ needsKey: false })
    const file = journalFileOf(this.session.config.dataDir, await this.session.account.dataName())
    if (isKeyless(settings) && !this.saidKeyless)
      this.session.notices.notice(
        `Without DLV_API_KEY the journal is that of every account without a key at ${accountName(settings)}: ${file}. DLV_API_KEY or --journal gives an account its own.`,
      )
    this.saidKeyless = true
    return file
  }

  private saidKeyless = false

  /** Names the journal of an account that a base URL and a key name. */
  async sayOwn(): Promise<void> {
    const place = await this.place()
    const { profile, apiKey } = await this.session.account.settings({ needsKey: false })
    const isOwn =
      profile === noProfile &&
      place === journalFileOf(this.session.config.dataDir, await this.session.account.dataName())
    if (isOwn && apiKey !== undefined) this.session.notices.notice(`Journal: ${place}, of this base URL and key.`)
  }
}
