import type { CallOptions } from '../../../client/index.js'
import { newestFirst, readRefusal } from '../../../client/internal.js'
import { type EventRecord, operationDescriptors, timeMs } from '../../../contract/index.js'
import { dayMs } from '../../../shared/durations.js'
import { isRecord, textAt } from '../../../shared/json.js'
import { eventPages, type ListedEvent } from '../../../webhooks/index.js'
import type { Backend } from '../backend.js'
import { serviceNowMs } from '../clock.js'

/** An event of the service's list, without its payload. */
export type SeenEvent = Pick<
  ListedEvent,
  'eventId' | 'eventType' | 'occurredAt' | 'deliveryId' | 'lastDeliveryStatus' | 'deliveryAttempts' | 'lastAttemptAt'
> & { reference: string | null }

interface SeenEvents {
  /** Newest first. */
  events: SeenEvent[]
  /** Whether these are all events of a day, or only the newest of them. */
  reach: 'day' | 'newest'
}

/** Lists are read beside other programs with the same key: a request waits for its turn, and an outage is said at once. */
const inTurn = { maxWaitMs: 20_000, retries: { maxRetries: 1 } } satisfies CallOptions

/** The number of an account's newest events that are read as long as nobody needs the whole day. */
const newestEvents = 1_000
/** Events are listed by when they occurred, so one that occurred a little earlier may appear a little later. */
const overlapMs = 60_000
/** What is older than that is read again after this time, for what became of its webhooks. */
const readAgainMs = 60_000
/** A long list is read again after this many times the time that reading takes: others need the allowance, too. */
const restFactor = 20

/**
 * The events of a day of an account over the network, for screens that show them again after each news: read once, from
 * then on only what is new, and now and then all of it.
 */
export class DayOfEvents {
  #events = new Map<string, SeenEvent>()
  #reach: SeenEvents['reach'] | undefined
  #readAgainAtMs = 0
  #newestMs = Number.NEGATIVE_INFINITY
  #updating: Promise<void> | undefined
  #readingAll: Promise<void> | undefined

  constructor(private readonly backend: Backend) {}

  /** All events of the day if somebody asked for them before, or else its newest 1,000. */
  async newest(): Promise<SeenEvents> {
    this.#updating ??= this.#update().finally(() => {
      this.#updating = undefined
    })
    await this.#updating
    const reach = this.#reach ?? 'newest'
    const events = [...this.#events.values()].sort((one, other) => occurredMs(other) - occurredMs(one))
    return { reach, events: reach === 'day' ? events : events.slice(0, newestEvents) }
  }

  /** All events of the day, oldest first. */
  async all(): Promise<SeenEvent[]> {
    if (this.#reach !== 'day') {
      this.#readingAll ??= this.#readAll().finally(() => {
        this.#readingAll = undefined
      })
      await this.#readingAll
    }
    return (await this.newest()).events.reverse()
  }

  async #update(): Promise<void> {
    const nowMs = await serviceNowMs(this.backend)
    // A sandbox on this machine answers at once, and may be reset.
    const isOutdated = this.backend.control !== undefined || nowMs < this.#newestMs - overlapMs
    if (this.#reach === undefined || isOutdated || performance.now() >= this.#readAgainAtMs)
      return this.#reach === 'day' ? this.#readAll() : this.#readNewest(nowMs)
    const dayBeforeMs = nowMs - dayMs
    for await (const event of this.#listed(Math.max(dayBeforeMs, this.#newestMs - overlapMs))) this.#add(event)
    for (const [eventId, event] of this.#events) if (occurredMs(event) < dayBeforeMs) this.#events.delete(eventId)
  }

  async #readNewest(nowMs: number): Promise<void> {
    const startedMs = performance.now()
    const found: SeenEvent[] = []
    const query = { since: new Date(nowMs - dayMs).toISOString() }
    const nowOfService = () => serviceNowMs(this.backend)
    const newest = newestFirst(this.backend.client, query, {
      wanted: newestEvents,
      nowMs: nowOfService,
      options: inTurn,
    })
    for await (const record of newest) {
      found.push(seenRecord(record))
      if (found.length >= newestEvents) break
    }
    // Meanwhile the whole day may have been read.
    if (this.#reach === 'day' && found.length >= newestEvents) for (const event of found) this.#add(event)
    else this.#replace(found, found.length >= newestEvents ? 'newest' : 'day', startedMs)
  }

  async #readAll(): Promise<void> {
    const startedMs = performance.now()
    const all = this.#listed((await serviceNowMs(this.backend)) - dayMs)
    this.#replace(await Array.fromAsync(all), 'day', startedMs)
  }

  #replace(events: readonly SeenEvent[], reach: SeenEvents['reach'], startedMs: number): void {
    this.#events = new Map()
    this.#newestMs = Number.NEGATIVE_INFINITY
    for (const event of events) this.#add(event)
    this.#reach = reach
    const endedMs = performance.now()
    this.#readAgainAtMs = endedMs + Math.max(readAgainMs, restFactor * (endedMs - startedMs))
  }

  #add(event: SeenEvent): void {
    this.#events.set(event.eventId, event)
    this.#newestMs = Math.max(this.#newestMs, occurredMs(event))
  }

  async *#listed(sinceMs: number): AsyncGenerator<SeenEvent> {
    const { client } = this.backend
    const since = new Date(sinceMs).toISOString()
    for await (const { events } of eventPages((query) => eventPage(client, { since, ...query })))
      for (const event of events) yield seenListed(event)
  }
}

const days = new WeakMap<Backend, DayOfEvents>()

/** What is remembered of an account, for as long as the page is served. */
export function dayOfEvents(backend: Backend): DayOfEvents {
  const known = days.get(backend) ?? new DayOfEvents(backend)
  days.set(backend, known)
  return known
}

/** The bytes of a page of `GET /events`. */
export async function eventPage(
  client: Backend['client'],
  query: Record<string, string | number>,
): Promise<Uint8Array> {
  const { method, path } = operationDescriptors.listEvents
  const reply = await client.raw({ method, path, query: { limit: 100, ...query } }, inTurn)
  if (reply.status >= 300) throw readRefusal(reply, Date.now())
  return reply.body
}

function occurredMs({ occurredAt }: SeenEvent): number {
  const atMs = occurredAt === null ? Number.NaN : timeMs(occurredAt)
  return Number.isNaN(atMs) ? Number.NEGATIVE_INFINITY : atMs
}

function seenListed(event: ListedEvent): SeenEvent {
  const { eventId, eventType, occurredAt, deliveryId, lastDeliveryStatus, deliveryAttempts, lastAttemptAt, data } =
    event
  const reference = referenceOf(data)
  return {
    ...{ eventId, eventType, occurredAt, deliveryId, reference },
    ...{ lastDeliveryStatus, deliveryAttempts, lastAttemptAt },
  }
}

function seenRecord(record: EventRecord): SeenEvent {
  const { eventId, eventType, occurredAt, deliveryId, lastDeliveryStatus, deliveryAttempts, lastAttemptAt } = record
  return {
    ...{ eventId, eventType, occurredAt, deliveryId: deliveryId ?? null, reference: referenceOf(record.data) },
    lastDeliveryStatus: lastDeliveryStatus ?? null,
    deliveryAttempts: deliveryAttempts ?? null,
    lastAttemptAt: lastAttemptAt ?? null,
  }
}

function referenceOf(data: unknown): string | null {
  const delivery = isRecord(data) && isRecord(data.delivery) ? data.delivery : {}
  return textAt(delivery, 'clientOrderReference') ?? null
}
