import type { NewItem } from './items.js'

/**
 * The lines of several sources, each in the order of their arrival, as one list in that order. Requests, events and attempts
 * have the time of the sandbox's clock, which can be moved in both directions, and all others that of this machine: times
 * alone would mix them up. So no line overtakes an earlier one of its source, and each comes after what caused it.
 *
 * @param aheadMs by how much the sandbox's clock is ahead of this machine's now
 */
export function inOrderOfArrival(sources: readonly (readonly NewItem[])[], aheadMs: number): NewItem[] {
  const causes = new Set(sources.flatMap((items) => items.flatMap((item) => causedBy(item) ?? [])))
  const heads = sources.map((items) => new Head(items, aheadMs))
  const merged: NewItem[] = []
  for (;;) {
    let first: Head | undefined
    for (const head of heads) if (first === undefined || head.isBefore(first, causes)) first = head
    const item = first?.take()
    if (item === undefined) return merged
    const cause = causedBy(item)
    if (cause !== undefined) causes.delete(cause)
    merged.push(item)
  }
}

/** Whether a line has the time of the service's clock, and not that of this machine. */
export const isOfService = ({ kind }: NewItem): boolean => kind === 'event' || kind === 'attempt' || kind === 'request'

/** The id that links a line to its effects: an order causes its events, an event causes everything that mentions it. */
function causedBy({ kind, title, eventId, deliveryId }: NewItem): string | undefined {
  if (kind === 'event') return eventId
  return kind === 'request' && title === 'POST /deliveries' ? deliveryId : undefined
}

function causeOf({ kind, eventId, deliveryId }: NewItem): string | undefined {
  if (kind === 'event') return deliveryId
  return kind === 'request' ? undefined : eventId
}

/** The next line of a source. */
class Head {
  private index = 0
  private timeMs = 0

  constructor(
    private readonly items: readonly NewItem[],
    private readonly aheadMs: number,
  ) {
    this.readTime()
  }

  private get item(): NewItem | undefined {
    return this.items[this.index]
  }

  private readTime(): void {
    const { item } = this
    if (item === undefined) return
    this.timeMs = Date.parse(item.at) + (isOfService(item) ? 0 : this.aheadMs)
  }

  take(): NewItem | undefined {
    const { item } = this
    this.index++
    this.readTime()
    return item
  }

  isBefore(other: Head, causes: ReadonlySet<string>): boolean {
    const [mine, theirs] = [this.rank(causes), other.rank(causes)]
    return mine === theirs ? this.timeMs < other.timeMs : mine < theirs
  }

  /** 0 if it can come now, 1 if its cause has not come, 2 if there is no more. */
  private rank(causes: ReadonlySet<string>): number {
    if (this.item === undefined) return 2
    const cause = causeOf(this.item)
    return cause !== undefined && causes.has(cause) ? 1 : 0
  }
}
