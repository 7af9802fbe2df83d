import type { LiveItem } from '../../wire/live.js'
import type { Clock } from '../../wire/session.js'

/** How many lines are kept for pages that open later. */
const keptItems = 5_000

export type NewItem = Omit<LiveItem, 'id'>

/** What a page that is open is told. */
export interface Follower {
  items(items: readonly LiveItem[]): void
  clock(clock: Clock): void
}

/** The lines of everything that happens, from all sources, in the order in which they were seen. */
export class Feed {
  private items: LiveItem[] = []
  private readonly followers = new Set<Follower>()
  private waiting: LiveItem[] = []
  private nextId = 1
  /** Called when the first page opens and when the last one closes. */
  onAudience: (isWatched: boolean) => void = () => {}

  get lastId(): number {
    return this.nextId - 1
  }

  get isWatched(): boolean {
    return this.followers.size > 0
  }

  backlog(): readonly LiveItem[] {
    return this.items
  }

  /** The lines after the one with this id; `undefined` if some of them are no longer kept. */
  after(id: number): readonly LiveItem[] | undefined {
    if (id > this.lastId || (id < this.lastId && id + 1 < (this.items[0]?.id ?? 1))) return undefined
    return this.items.filter((item) => item.id > id)
  }

  push(news: readonly NewItem[]): void {
    if (news.length === 0) return
    const items = news.map((item): LiveItem => ({ ...item, id: this.nextId++ }))
    this.items.push(...items)
    if (this.items.length > keptItems) this.items = this.items.slice(-keptItems)
    if (!this.isWatched) return
    // What arrives in one turn goes out in one message.
    if (this.waiting.length === 0) setImmediate(() => this.flush())
    this.waiting.push(...items)
  }

  tellClock(clock: Clock): void {
    for (const follower of this.followers) follower.clock(clock)
  }

  /** Returns the function that ends the following. */
  follow(follower: Follower): () => void {
    this.followers.add(follower)
    if (this.followers.size === 1) this.onAudience(true)
    return () => {
      if (this.followers.delete(follower) && this.followers.size === 0) this.onAudience(false)
    }
  }

  private flush(): void {
    const items = this.waiting
    this.waiting = []
    for (const follower of this.followers) follower.items(items)
  }
}
