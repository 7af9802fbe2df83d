import { UsageError } from '../contract/index.js'
import { isPostgresAddress } from '../postgres/index.js'
import { type Forwarder, type ForwarderSurroundings, type ForwardOptions, startForwarder } from './forward/forwarder.js'
import { Turns } from './forward/queue.js'
import type { JournalEvent } from './journal/event.js'
import { fatalFailure, type Journal, type JournalOptions } from './journal/journal.js'
import { openJournal } from './journal/open.js'
import type { Backlog } from './journal/reader.js'
import { type ListenerNote, listenerCursor } from './journal/sqlite/listener-record.js'

/** A journal of a listener, and what forwards from it. */
interface Part {
  journal: Journal
  forwarder: Forwarder
  /** Absent for a journal that several processes write. */
  note: StatusNote | undefined
}

/** What the journals of a listener have in common. */
interface PartOptions {
  /** One journal for all accounts, or a file for each. */
  journal: string | Readonly<Record<string, string>>
  /** The accounts that are read of one journal. */
  accounts: readonly string[] | undefined
  journalOptions: Omit<JournalOptions, 'accounts'>
  forward: ForwardOptions
  around: Omit<ForwarderSurroundings, 'journal' | 'turnsOf'>
  env: NodeJS.ProcessEnv
}

/** The journals of a listener: one that its accounts share, or one for each of them. */
export class Parts {
  private constructor(
    private readonly shared: Part | undefined,
    private readonly byAccount: ReadonlyMap<string, Part>,
  ) {}

  /**
   * @throws DlvError if a journal cannot be opened or written, or another process holds its file; none stays open then
   */
  static async open({ journal, accounts, forward, ...options }: PartOptions): Promise<Parts> {
    if (typeof journal === 'string')
      return new Parts(await openPart(journal, { ...options, accounts, forward }), new Map())
    const turns = new Map<string, Turns>()
    const turnsOf = (url: string, count: number) => {
      const known = turns.get(url) ?? new Turns(count)
      turns.set(url, known)
      return known
    }
    const opened = new Map<string, Part>()
    try {
      for (const [account, file] of Object.entries(journal)) {
        const routes = forward.routes.filter((route) => route.account === undefined || route.account === account)
        const own = { ...options, accounts: [account], forward: { ...forward, routes }, turnsOf }
        opened.set(account, await openPart(file, own))
      }
    } catch (error) {
      for (const part of opened.values()) await closePart(part, 0)
      throw error
    }
    return new Parts(undefined, opened)
  }

  get all(): Part[] {
    return this.shared === undefined ? [...this.byAccount.values()] : [this.shared]
  }

  /** @throws UsageError for an account that has no journal */
  of(account: string): Part {
    const part = this.shared ?? this.byAccount.get(account)
    if (part !== undefined) return part
    throw new UsageError(`the listener has no journal for the account ${account}`)
  }

  /** The journals of an account; all of them if none is named. */
  private journalsOf(account: string | undefined): Journal[] {
    return account === undefined ? this.all.map(({ journal }) => journal) : [this.of(account).journal]
  }

  readonly has: Journal['has'] = async (ids, account) => {
    const found = await Promise.all(this.journalsOf(account).map((journal) => journal.has(ids, account)))
    return new Set(found.flatMap((known) => [...known]))
  }

  readonly get: Journal['get'] = async (id, account) => {
    const found = await Promise.all(this.journalsOf(account).map((journal) => journal.get(id, account)))
    return found.find((event) => event !== undefined)
  }

  readonly forwardsOf = ({ seq, account }: Pick<JournalEvent, 'seq' | 'account'>) =>
    this.of(account).journal.forwardsOf(seq)

  /** A value is kept with the account that it is about. */
  readonly cursor = (name: string, account?: string) => this.placeOf(account).cursor(name)

  readonly setCursor = (name: string, value: string, onlyIfMissing?: boolean, account?: string) =>
    this.placeOf(account).setCursor(name, value, onlyIfMissing)

  readonly lead = (name: string, signal: AbortSignal, account?: string) => this.placeOf(account).lead(name, signal)

  private placeOf(account: string | undefined): Journal {
    return this.of(account ?? this.byAccount.keys().next().value ?? '').journal
  }

  readonly others = async () => (await Promise.all(this.all.map(({ journal }) => journal.others()))).flat()

  readonly backlog = async (): Promise<Backlog[]> => {
    const all = (await Promise.all(this.all.map(({ journal }) => journal.backlog()))).flat()
    const byUrl = new Map<string, Backlog>()
    for (const { url, count, oldestSeconds } of all) {
      const before = byUrl.get(url)
      byUrl.set(url, {
        url,
        count: count + (before?.count ?? 0),
        oldestSeconds: Math.max(oldestSeconds, before?.oldestSeconds ?? 0),
      })
    }
    return [...byUrl.values()]
  }

  readonly probe = async () => void (await Promise.all(this.all.map(({ journal }) => journal.probe())))

  /** The first failure of a journal; one that is for good comes first. */
  readonly failure = () => {
    const failing = this.all.filter(({ journal }) => journal.failure() !== undefined)
    const fatal = failing.find(({ journal }) => fatalFailure(journal) !== undefined)
    return (fatal ?? failing[0])?.journal.failure()
  }

  readonly ownedShards = () => this.all[0]?.journal.ownedShards()

  readonly failovers = () => this.all.reduce((sum, { journal }) => sum + journal.failovers(), 0)

  async settled(): Promise<void> {
    await Promise.all(this.all.map(({ forwarder }) => forwarder.settled()))
  }

  /** Notes for `webhooks status` where the listener is reached, and what it has rejected. */
  async note(what: { url?: string; rejected?: 1 }): Promise<void> {
    await Promise.all(this.all.map(({ note }) => note?.take(what)))
  }

  async close(drainMs: number): Promise<void> {
    await Promise.all(this.all.map((part) => closePart(part, drainMs)))
  }
}

interface OnePart extends Omit<PartOptions, 'journal'> {
  turnsOf?: ForwarderSurroundings['turnsOf']
}

async function openPart(place: string, options: OnePart): Promise<Part> {
  const { accounts, journalOptions, forward, around, env, turnsOf } = options
  const journal = await openJournal(place, { ...journalOptions, accounts }, env)
  try {
    const forwarder = await startForwarder(forward, { ...around, journal, turnsOf })
    const note = isPostgresAddress(place) ? undefined : new StatusNote(journal, around.now())
    return { journal, forwarder, note }
  } catch (error) {
    await journal.close()
    throw error
  }
}

async function closePart({ note, forwarder, journal }: Part, drainMs: number): Promise<void> {
  await note?.close()
  await forwarder.stop(drainMs)
  await journal.close()
}

/** Interval at which the number of rejected requests is recorded. */
const notedEveryMs = 2_000

/** What `webhooks status` reads of a journal that only this process writes; the members of a shared one are in its locks. */
class StatusNote {
  #url: string | null = null
  #rejected = 0
  #noted: string | undefined
  readonly #timer = setInterval(() => this.#write().catch(() => {}), notedEveryMs).unref()

  constructor(
    readonly journal: Journal,
    readonly sinceMs: number,
  ) {}

  /** Takes the address at once, and counts rejected requests. */
  async take({ url, rejected = 0 }: { url?: string; rejected?: number }): Promise<void> {
    this.#rejected += rejected
    if (rejected > 0) return
    this.#url = url ?? this.#url
    await this.#write()
  }

  async #write(): Promise<void> {
    const note: ListenerNote = {
      since: new Date(this.sinceMs).toISOString(),
      url: this.#url,
      rejected: this.#rejected,
    }
    const text = JSON.stringify(note)
    if (this.#noted === text) return
    this.#noted = text
    await this.journal.setCursor(listenerCursor, text)
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#write().catch(() => {})
  }
}
