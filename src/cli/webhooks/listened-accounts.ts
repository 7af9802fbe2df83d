import { dirname } from 'node:path'
import { UsageError } from '../../contract/index.js'
import type { ListenerOptions, ListenerRecord } from '../../listener/index.js'
import type { NamedSecret } from '../../profiles/index.js'
import { isSameSecret } from '../../webhooks/internal.js'
import { type AccountSession, accountSession } from '../session/account-session.js'
import type { Session } from '../session/session.js'
import { Journals } from './journals.js'
import type { ListenFlags } from './listen-flags.js'
import { listenAs } from './listener-account.js'
import { Secrets } from './secrets.js'

/** An account that is listened for. */
export interface ListenedAccount {
  /** Absent if it is the only one. */
  profile: string | undefined
  /** Its name in `--forward-to`. */
  name: string
  session: Session
  /** What its events are kept under. */
  mark: string
  journals: Journals
  /** The file or the address of its journal. */
  place: string
  secretsOf: Secrets
  /** The secrets at the start. */
  secrets: readonly NamedSecret[]
  /** The secrets as they are by now. */
  followed(): readonly NamedSecret[]
  /** Remembers a secret that has verified a webhook as the account's. */
  keepSecret(name: string): void
}

/** For how long the secrets of several accounts are taken to be the same: each of many webhooks would ask for all of them. */
const sameForMs = 25

/** The accounts that a listener serves at its address: one, or several of which each has its secrets and its journal. */
export class ListenedAccounts {
  private constructor(
    readonly accounts: readonly ListenedAccount[],
    private readonly warn: (text: string) => void,
  ) {}

  /**
   * @throws UsageError if an account cannot be listened for, or two of them have one secret: nothing is received then
   */
  static async open(session: Session, profiles: readonly string[] | undefined, flags: Partial<ListenFlags>) {
    const warn = (text: string) => session.notices.warn(text)
    if (profiles === undefined)
      return new ListenedAccounts([await listenedAccount({ profile: undefined, session }, flags)], warn)
    const secretFiles = secretFilesOf(flags['secret-file'] ?? [], profiles)
    const accounts: ListenedAccount[] = []
    const served = new ListenedAccounts(accounts, warn)
    session.onClose((error) => served.close(error))
    for (const profile of profiles) {
      const own = accountSession(session, profile)
      served.sessions.push(own)
      const account = await listenedAccount(
        { profile, session: own },
        { ...flags, 'secret-file': secretFiles(profile) },
      )
      const same = accounts.find(({ mark }) => mark === account.mark)
      if (same === undefined) accounts.push(account)
      else session.notices.notice(`Profile ${profile} is the same account as ${same.name}, which is listened for.`)
    }
    refuseSharedSecrets(accounts)
    return served
  }

  private readonly sessions: Session[] = []

  /** Ends what was opened for each of several accounts: before the listener, so that nobody posts to one that is gone. */
  async close(error?: Error): Promise<void> {
    for (const session of this.sessions.splice(0)) await session.close(error)
  }

  /** Whether several were asked for, of whom each record says which it is. */
  get areSeveral(): boolean {
    return this.accounts[0]?.profile !== undefined
  }

  /** What the listener is to know of them. */
  listenerParts(): Pick<ListenerOptions, 'secrets' | 'account' | 'otherSecrets' | 'journal'> {
    const { accounts } = this
    const [first] = accounts
    const mine = accounts.flatMap(({ secrets }) => secrets)
    const otherSecrets = first?.secretsOf.foreign(mine) ?? []
    const places = new Set(accounts.map(({ place }) => place))
    const journal =
      places.size === 1 ? (first?.place ?? '') : Object.fromEntries(accounts.map(({ mark, place }) => [mark, place]))
    if (!this.areSeveral) return { secrets: first?.followed ?? [], account: first?.mark, otherSecrets, journal }
    return { secrets: this.followed(), otherSecrets, journal }
  }

  /** The secrets of all accounts by now: the same list until one of them changes, so that a usual secret is tried first. */
  private followed(): () => ListenerOptions['secrets'] & readonly NamedSecret[] {
    let lists: readonly (readonly NamedSecret[])[] = []
    let all: (NamedSecret & { account: string })[] = []
    let askedMs = Number.NEGATIVE_INFINITY
    return () => {
      if (performance.now() - askedMs < sameForMs) return all
      askedMs = performance.now()
      const now = this.accounts.map(({ followed }) => followed())
      if (now.some((list, at) => list !== lists[at])) {
        const before = all
        lists = now
        all = this.withoutShared(before)
      }
      return all
    }
  }

  /** A secret that two accounts have by now stays with the one that had it before: nobody could say whose an event is. */
  private withoutShared(before: readonly (NamedSecret & { account: string })[]) {
    const all = this.accounts.flatMap(({ mark, name, followed }) =>
      followed().map((secret) => ({ ...secret, account: mark, profile: name })),
    )
    return all
      .filter((one, at) => {
        const other = all.find(
          (two, place) => place !== at && two.account !== one.account && isSameSecret(two.secret, one.secret),
        )
        const owner = before.find(({ secret }) => isSameSecret(secret, one.secret))
        const isOwn =
          other === undefined || (owner === undefined ? all.indexOf(other) > at : owner.account === one.account)
        if (!isOwn)
          this.warn(
            `${one.name} of profile ${one.profile} is also ${other?.name} of profile ${other?.profile}, and verifies nothing of ${one.profile}.`,
          )
        return isOwn
      })
      .map(({ profile: _, ...secret }) => secret)
  }

  /** Remembers the secret of a webhook that was verified. */
  seen(record: ListenerRecord): void {
    if (record.type !== 'event' || record.source !== 'webhook') return
    this.of(record.account)?.keepSecret(record.secret)
  }

  /** A record with the profile of its account in place of its mark, which is no business of readers. */
  shown(record: ListenerRecord): ListenerRecord & { profile?: string } {
    if (record.type === 'ready' && this.areSeveral) return { ...record, ...this.shownJournals(record.journal) }
    if (!('account' in record)) return record
    const profile = this.of(record.account)?.profile
    // Every event comes through here: a member that is undefined is no member of its line, and costs less than a copy without it.
    if (profile === undefined) return { ...record, account: undefined } as ListenerRecord
    const { account: _, type, ...shown } = record
    return { type, profile, ...shown } as ListenerRecord & { profile?: string }
  }

  /** Where the events of several accounts are kept: in one journal, or in a folder with a file for each. */
  private shownJournals(journal: string): { journal: string; journals: Record<string, string> } {
    const [first] = this.accounts
    const isShared = this.accounts.every(({ place }) => place === first?.place)
    const journals = Object.fromEntries(this.accounts.map(({ name, place }) => [name, isShared ? journal : place]))
    return { journal: isShared ? journal : dirname(first?.place ?? ''), journals }
  }

  /** The account with this mark; the only one if it is not known. */
  private of(mark: string | undefined): ListenedAccount | undefined {
    return this.accounts.find((one) => one.mark === mark) ?? (this.areSeveral ? undefined : this.accounts[0])
  }

  /** The names of secrets, with their accounts if there are several. */
  named<Count extends { name: string; account?: string }>(counts: readonly Count[]): Count[] {
    return counts.map((one) => {
      const profile = this.of(one.account)?.profile
      return profile === undefined ? one : { ...one, name: `${profile} ${one.name}` }
    })
  }

  /** The secrets for a command that is started beside the listener, separated by spaces as `DLV_WEBHOOK_SECRET` takes them. */
  get variable(): string {
    const all = this.accounts.map(({ secrets }) => secrets[0]?.secret ?? '')
    return all.join(' ')
  }
}

/**
 * The files with secrets of each of several accounts: `--secret-file NAME:FILE`.
 *
 * @throws UsageError for a file that is no account's: nobody could say whose an event is
 */
function secretFilesOf(given: readonly string[], profiles: readonly string[]): (profile: string) => string[] {
  const files = given.map((text) => {
    const profile = profiles.find((name) => text.startsWith(`${name}:`))
    if (profile !== undefined) return { profile, file: text.slice(profile.length + 1) }
    throw new UsageError(
      `--secret-file ${text.slice(0, 80)} does not say whose secret it is, and several accounts are listened for.`,
      {
        hint: `Begin it with one of them (${profiles.slice(0, 10).join(', ')}): --secret-file ${profiles[0]}:FILE`,
      },
    )
  })
  return (name) => files.flatMap(({ profile, file }) => (profile === name ? [file] : []))
}

async function listenedAccount(
  { profile, session }: AccountSession,
  flags: Partial<ListenFlags>,
): Promise<ListenedAccount> {
  const secretsOf = new Secrets(session)
  const journals = new Journals(session, flags.journal)
  const secrets = await secretsOf.given(flags['secret-file'], flags['allow-weak-secret'])
  const followed = await secretsOf.followed(secrets)
  const { mark, keepSecret } = await listenAs(session, { secrets, followed, journals })
  const place = await journals.place()
  const name = profile ?? (await session.account.settings({ needsKey: false })).profile
  return { profile, name, session, mark, journals, place, secretsOf, secrets, followed, keepSecret }
}

/** @throws UsageError if two accounts have one secret: nobody could say whose an event is */
function refuseSharedSecrets(accounts: readonly ListenedAccount[]): void {
  const all = accounts.flatMap(({ name, secrets }) => secrets.map((secret) => ({ ...secret, profile: name })))
  for (const [at, one] of all.entries()) {
    const other = all.find(
      (two, place) => place < at && two.profile !== one.profile && isSameSecret(two.secret, one.secret),
    )
    if (other === undefined) continue
    throw new UsageError(
      `Profiles ${other.profile} ("${other.name}") and ${one.profile} ("${one.name}") have the same webhook secret: nobody could say whose an event is.`,
      { hint: `Store its own for one of them: dlv profiles secrets add ${one.profile} FILE` },
    )
  }
}
