import type { LiveItem, Reading, ReadingFailure } from '../../wire/live.js'
import type { Clock } from '../../wire/session.js'
import { inOrderOfArrival, isOfService } from './arrival-order.js'
import type { NewItem } from './items.js'
import type { ServiceTimes } from './service-times.js'

/** Number of lines that are kept for pages that open later. */
const keptItems = 5_000

/** Minimum interval between updates of a page, however many lines arrive. */
const betweenMessagesMs = 200
/** The oldest lines of more are left out; the page reads them later. */
const mostInMessage = 1_000
/** More lines than this in a message are a flood. */
const floodLines = 200
/**
 * In a flood nobody reads along: the page then gets no more lines than it draws, every two seconds. Its browser often
 * shares the cores with a listener that has other things to do.
 */
const betweenFloodMessagesMs = 2_000
const mostInFloodMessage = 100

/** The callbacks of an open page. */
interface Follower {
  items(items: readonly LiveItem[]): void
  clock(clock: Clock & { account?: string | undefined }): void
  reading(reading: Reading): void
}

/** The time of a line on this machine's clock. */
function placeOf(item: NewItem, times: ServiceTimes | undefined): number {
  const atMs = Date.parse(item.at)
  if (Number.isNaN(atMs)) return Date.now()
  return isOfService(item) && times !== undefined ? times.realMsOf(atMs) : atMs
}

/** The lines of everything that happens, from all sources, in the order in which they were seen. */
export class Feed {
  private items: LiveItem[] = []
  private readonly followers = new Set<Follower>()
  private nextId = 1
  private seenId = 0
  /** The last line that went out, or was there before a page was open. */
  private flushedId = 0
  private flushing: NodeJS.Timeout | undefined
  private flushedAtMs = Number.NEGATIVE_INFINITY
  private isFlooded = false
  private readonly readings = new Map<string | undefined, Pick<Reading, 'isRead' | 'failed'>>()
  /** Called when the first page opens and when the last one closes. */
  readonly onAudience: ((isWatched: boolean) => void)[] = []

  /** The part of an account, whose lines have its name if there are several. */
  of(account?: string): AccountFeed {
    this.readings.set(account, { isRead: false })
    return new AccountFeed(this, account)
  }

  /** Whether the sources are read. */
  get reading(): Reading {
    const all = [...this.readings]
    const [first] = all
    if (first === undefined || (all.length === 1 && first[0] === undefined)) return first?.[1] ?? { isRead: false }
    const failures = all.flatMap(([account = '', { failed }]) => (failed === undefined ? [] : [{ account, ...failed }]))
    const isRead = all.some(([, one]) => one.isRead)
    const waiting = all.flatMap(([account = '', one]) => (one.isRead || one.failed ? [] : [account]))
    if (failures.length < all.length) return { isRead, failures, waiting }
    const message = failures.map((one) => `${one.account}: ${one.message}`).join(' ')
    return { isRead, failed: { since: failures.map(({ since }) => since).sort()[0] ?? '', message }, failures, waiting }
  }

  get lastId(): number {
    return this.nextId - 1
  }

  get isWatched(): boolean {
    return this.followers.size > 0
  }

  backlog(): readonly LiveItem[] {
    return this.items.slice(-keptItems)
  }

  /** The lines after the one with this id; `undefined` if some of them are no longer kept. */
  after(id: number): readonly LiveItem[] | undefined {
    const first = this.items[0]?.id ?? this.nextId
    if (id > this.lastId || id + 1 < first) return undefined
    return this.items.slice(id + 1 - first)
  }

  /** @param times those of the service; default: this machine's */
  push(news: readonly NewItem[], times?: ServiceTimes): void {
    if (news.length === 0) return
    for (const item of news)
      this.items.push({ ...item, id: this.nextId++, placeMs: item.placeMs ?? placeOf(item, times) })
    // Twice as many are kept for a while, so that few lines are copied for each that comes.
    if (this.items.length > keptItems * 2) this.items = this.items.slice(-keptItems)
    if (this.isWatched) this.scheduleFlush()
  }

  /** Notes that a page knows all lines until now: they keep their places and their ids. */
  noteSeen(): void {
    this.seenId = this.lastId
  }

  /**
   * Adds lines of sources that were read together, each in the order of their arrival. If no page is open, they come
   * among those that no page has seen.
   *
   * @param times those of the sandbox
   * @param account whose lines they are
   */
  merge(sources: readonly (readonly NewItem[])[], times: ServiceTimes, account?: string): void {
    if (this.isWatched) {
      this.push(inOrderOfArrival(sources, times.aheadMs), times)
      return
    }
    const unseen = this.items.filter(({ id }) => id > this.seenId)
    // Another account's service has another clock; its lines keep their places.
    const own = unseen.filter((item) => item.account === account)
    const others = unseen.filter((item) => item.account !== account)
    const merged = inOrderOfArrival([own, ...sources], times.aheadMs)
    this.items = this.items.slice(0, this.items.length - unseen.length)
    this.nextId = unseen[0]?.id ?? this.nextId
    this.push([...others, ...merged], times)
  }

  /** The first line goes out at once; in a flood, what arrives until the next message goes out together. */
  private scheduleFlush(): void {
    if (this.flushing !== undefined) return
    const pauseMs = this.isFlooded ? betweenFloodMessagesMs : betweenMessagesMs
    const waitMs = Math.max(0, this.flushedAtMs + pauseMs - performance.now())
    this.flushing = setTimeout(() => this.flush(), waitMs)
  }

  tellClock(clock: Clock, account?: string): void {
    for (const follower of this.followers) follower.clock({ ...clock, account })
  }

  /** Notes how a reading of an account's source ended, and tells the pages if that is news; returns whether it is. */
  noteReading(failed: ReadingFailure | undefined, account?: string): boolean {
    const { isRead, failed: before } = this.readings.get(account) ?? { isRead: false }
    if (isRead === (failed === undefined || isRead) && before?.message === failed?.message) return false
    const now =
      failed === undefined ? { isRead: true } : { isRead, failed: { ...failed, since: before?.since ?? failed.since } }
    this.readings.set(account, now)
    const { reading } = this
    for (const follower of this.followers) follower.reading(reading)
    return true
  }

  /** Returns the function that ends the following. */
  follow(follower: Follower): () => void {
    this.followers.add(follower)
    this.noteSeen()
    if (this.followers.size === 1) {
      this.flushedId = this.lastId
      for (const tell of this.onAudience) tell(true)
    }
    return () => {
      if (!this.followers.delete(follower) || this.followers.size > 0) return
      this.noteSeen()
      for (const tell of this.onAudience) tell(false)
    }
  }

  private flush(): void {
    const lines = this.lastId - this.flushedId
    const most = this.isFlooded ? mostInFloodMessage : mostInMessage
    const items = lines === 0 ? [] : this.items.slice(-Math.min(lines, most))
    this.isFlooded = lines > floodLines
    this.flushedId = this.lastId
    this.flushing = undefined
    this.flushedAtMs = performance.now()
    for (const follower of this.followers) follower.items(items)
  }
}

/** The feed as one account writes and reads it: nothing of another is in it. */
export class AccountFeed {
  constructor(
    readonly all: Feed,
    readonly account: string | undefined,
  ) {}

  get isWatched(): boolean {
    return this.all.isWatched
  }

  backlog(): readonly LiveItem[] {
    const { account } = this
    const all = this.all.backlog()
    return account === undefined ? all : all.filter((item) => item.account === account || item.account === undefined)
  }

  push(news: readonly NewItem[], times?: ServiceTimes): void {
    this.all.push(this.named(news), times)
  }

  merge(sources: readonly (readonly NewItem[])[], times: ServiceTimes): void {
    this.all.merge(
      sources.map((news) => this.named(news)),
      times,
      this.account,
    )
  }

  tellClock(clock: Clock): void {
    this.all.tellClock(clock, this.account)
  }

  noteReading(failed?: ReadingFailure): boolean {
    return this.all.noteReading(failed, this.account)
  }

  onAudience(tell: (isWatched: boolean) => void): void {
    this.all.onAudience.push(tell)
  }

  private named(news: readonly NewItem[]): readonly NewItem[] {
    const { account } = this
    if (account === undefined) return news
    return news.map((item) => ({
      ...item,
      // A request with nobody's key is nobody's.
      ...(item.kind === 'request' && item.status === '401' ? {} : { account }),
      ...(item.delivery === undefined ? {} : { delivery: { ...item.delivery, account } }),
    }))
  }
}
