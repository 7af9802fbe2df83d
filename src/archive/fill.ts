import { setImmediate } from 'node:timers/promises'
import { limits } from '../contract/index.js'
import { oldestSinceMs } from '../contract/internal.js'
import { dayMs, minuteMs } from '../shared/durations.js'
import { isRecord } from '../shared/json.js'
import { sleep } from '../shared/sleep.js'
import { eventPages, type ListedEvents } from '../webhooks/index.js'
import { followPauseMs, forgottenText, lookBack, repairPosition, startOfListing } from '../webhooks/internal.js'
import type { IncomingEvent } from './event-rows.js'
import type { Coverage } from './files.js'
import type { WrittenPage } from './ingest.js'
import type { ArchiveWriter } from './writer.js'

/** The service as the archive reads it. Requests are paced by the client behind it. */
export interface ArchiveService {
  /**
   * The bytes of one page of `GET /events`, oldest event first.
   *
   * @throws whatever the request fails with
   */
  listEvents(query: { since: string; until?: string; cursor?: string; limit: number }): Promise<Uint8Array>
  /** One page of `GET /deliveries`, newest first. */
  listDeliveries(query: { from: string; to: string; cursor?: string; limit: number }): Promise<DeliveryPage>
  /** A delivery with its `statusHistory`; `undefined` if the service does not have it any more. */
  getDelivery(deliveryId: string): Promise<unknown>
  /** The service's time in milliseconds since the epoch. */
  nowMs(): Promise<number>
  /** What names the state of the sandbox that answered last, another one after a reset; `undefined` of other services. */
  instance(): string | undefined
}

interface DeliveryPage {
  deliveries: readonly { deliveryId: string; createdAt?: string | null | undefined }[]
  nextCursor?: string | null | undefined
}

/** Options of a fill. */
export interface FillOptions {
  /** This machine's clock, in milliseconds since the epoch. */
  nowMs: () => number
  /** Where to start, on the service's clock, if the archive does not reach back so far. */
  fromMs: (serviceNowMs: number) => number
  /**
   * Whether a command waits for it: then it looks back a whole day only if that takes a few requests. An event that
   * becomes visible later than ten minutes is found by the next fill that does not hurry.
   */
  isHurried?: boolean | undefined
  /** Told after each page. */
  onProgress?: ((progress: FillProgress) => void) | undefined
  /** Told of what was repaired, and once of each event that cannot be read. */
  onWarning: (text: string) => void
  signal?: AbortSignal | undefined
}

/** How far a fill is. */
export interface FillProgress {
  /** Events that were not known, so far. */
  added: number
  /** The time that it has reached, and the start and the end of what it reads, in milliseconds since the epoch. */
  atMs: number
  fromMs: number
  toMs: number
}

/** The result of a fill. */
export interface Filled {
  /** Number of events that were not known. */
  added: number
  /** The period that is covered now, in milliseconds since the epoch. */
  fromMs: number
  toMs: number
}

export const pageSize = limits.pageSizeMax

/** Events of a day that a hurried fill reads again; they take a few requests. */
const fewEvents = 3 * pageSize

/** The position of `events`: when a fill last looked back how far, and an earlier part that is unfinished. */
interface Position {
  looked: Map<number, number>
  earlier: { fromMs: number; atMs: number } | undefined
}

/**
 * Fetches the events that the archive lacks: the earlier ones if `fromMs` is before its start, and those since its last
 * fill, looking back for events that the service shows late. Each page is on disk with how far it reaches, so that a
 * fill that ends at any moment is continued by the next one.
 *
 * @throws whatever a request fails with; UsageError if the archive cannot be written
 */
export async function fillArchive(
  writer: ArchiveWriter,
  service: ArchiveService,
  options: FillOptions,
): Promise<Filled> {
  const serviceNowMs = await service.nowMs()
  if (wasReset(writer, service)) return restarted(writer, service, options)
  const fill = new Fill(writer, service, options, serviceNowMs)
  try {
    await fill.earlier()
    await fill.newer()
  } catch (error) {
    if (error instanceof SandboxReset) return restarted(writer, service, options)
    throw error
  }
  return fill.result()
}

/** The sandbox says that its state is another one than that which the archive was filled from. */
class SandboxReset extends Error {}

/** Whether a sandbox was reset, by its own word: what it does not list or does not find proves nothing. */
function wasReset(writer: ArchiveWriter, service: ArchiveService): boolean {
  const instance = service.instance()
  if (instance === undefined || writer.isOfProduction) return false
  const known = writer.sandboxInstance
  if (known === undefined) writer.sandboxInstance = instance
  return known !== undefined && known !== instance
}

/** Starts again with an empty archive, because the sandbox that it was filled from was reset. */
async function restarted(writer: ArchiveWriter, service: ArchiveService, options: FillOptions): Promise<Filled> {
  options.onWarning('The sandbox was reset: its archive starts again.')
  const fromMs = writer.coverage('events')?.fromMs ?? Number.POSITIVE_INFINITY
  writer.clear()
  writer.sandboxInstance = service.instance()
  return fillArchive(writer, service, { ...options, fromMs: (nowMs) => Math.min(fromMs, options.fromMs(nowMs)) })
}

class Fill {
  readonly #clockAheadMs: number
  readonly #oldestMs: number
  readonly #wantedMs: number
  #coverage: Coverage
  #position: Position
  #added = 0

  constructor(
    private readonly writer: ArchiveWriter,
    private readonly service: ArchiveService,
    private readonly options: FillOptions,
    private readonly serviceNowMs: number,
  ) {
    this.#clockAheadMs = serviceNowMs - options.nowMs()
    this.#oldestMs = oldestSinceMs(serviceNowMs)
    this.#wantedMs = Math.min(options.fromMs(serviceNowMs), serviceNowMs)
    writer.rewindIfAsked(this.#oldestMs)
    const known = writer.coverage('events')
    this.#coverage = known ?? this.#fresh()
    this.#position = positionOf(this.#coverage)
    if (known !== undefined) this.#repair(known)
  }

  #fresh(): Coverage {
    const fromMs = Math.max(this.#wantedMs, this.#oldestMs)
    return { fromMs, toMs: fromMs, position: {} }
  }

  /** Repairs a position that the service's clock has not reached, or that the service no longer reaches back to. */
  #repair(known: Coverage): void {
    const repair = repairPosition(known, this.serviceNowMs)
    if (repair !== undefined) {
      this.options.onWarning(repair.problem.message)
      this.#coverage = { ...this.#coverage, ...repair.position }
    } else if (known.toMs < this.#oldestMs) {
      const from = new Date(known.toMs).toISOString()
      this.options.onWarning(
        `${forgottenText(known.toMs, this.#oldestMs)} dlv sync --backfill ${from} fetches the deliveries of that time.`,
      )
      this.writer.keepOlder('events')
      this.#coverage = { fromMs: this.#oldestMs, toMs: this.#oldestMs, position: {} }
      this.#position = positionOf(this.#coverage)
    }
  }

  result(): Filled {
    const { fromMs, toMs } = this.#coverage
    return { added: this.#added, fromMs, toMs }
  }

  /** Reads what lies before the period that is covered. */
  async earlier(): Promise<void> {
    const wantedMs = Math.max(this.#wantedMs, this.#oldestMs)
    const untilMs = this.#coverage.fromMs
    const begun = this.#position.earlier
    if (wantedMs >= untilMs) return
    const fromMs = begun === undefined ? wantedMs : Math.min(begun.fromMs, wantedMs)
    const sinceMs = begun !== undefined && begun.fromMs <= wantedMs ? begun.atMs : wantedMs
    for await (const { page, atMs } of this.#pages(Math.max(sinceMs, this.#oldestMs), untilMs)) {
      this.#position.earlier = { fromMs, atMs }
      this.#write(page, { fromMs: sinceMs, atMs, toMs: untilMs })
    }
    if (this.options.signal?.aborted) return
    this.#position.earlier = undefined
    this.#coverage = { ...this.#coverage, fromMs: Math.max(fromMs, this.#oldestMs) }
    this.#cover()
  }

  /** Reads what is new. */
  async newer(): Promise<void> {
    if (this.options.signal?.aborted) return
    const looking = lookBack(() => this.serviceNowMs, this.#position.looked, this.#longestLookBackMs())
    const sinceMs = startOfListing(this.#coverage, looking.next(), this.serviceNowMs)
    for await (const { page, atMs } of this.#pages(sinceMs)) {
      this.#coverage.toMs = Math.max(this.#coverage.toMs, Math.min(atMs, this.serviceNowMs))
      this.#write(page, { fromMs: sinceMs, atMs, toMs: this.serviceNowMs })
    }
    if (this.options.signal?.aborted) return
    looking.done()
    this.#coverage.toMs = this.serviceNowMs
    this.#cover()
  }

  #longestLookBackMs(): number {
    if (!this.options.isHurried) return dayMs
    const since = new Date(this.#coverage.toMs - dayMs).toISOString()
    const row = this.writer.database
      .prepare('SELECT count(*) AS count FROM (SELECT 1 FROM events WHERE occurred_at >= ? LIMIT ?)')
      .get(since, fewEvents + 1)
    return Number(row?.count) > fewEvents ? 10 * minuteMs : dayMs
  }

  /** The pages of one listing, each with the time that it reaches. */
  async *#pages(sinceMs: number, untilMs?: number): AsyncGenerator<{ page: ListedEvents; atMs: number }> {
    const { signal } = this.options
    const since = new Date(sinceMs).toISOString()
    const until = untilMs === undefined ? {} : { until: new Date(untilMs).toISOString() }
    const fetchPage = (query: { cursor?: string }) =>
      this.service.listEvents({ since, ...until, limit: pageSize, ...query })
    let atMs = sinceMs
    this.writer.beginListing()
    const pages = eventPages(fetchPage, { signal, requestGapMs: 0 })
    let next = pages.next()
    for (;;) {
      const { done, value: page } = await next
      if (wasReset(this.writer, this.service)) throw new SandboxReset()
      if (done) return
      // The service works on the next page while this one is written: undici sends on the second turn.
      next = pages.next()
      next.catch(() => undefined)
      await setImmediate()
      await setImmediate()
      for (const { occurredAt } of page.events) {
        const occurredMs = Date.parse(occurredAt ?? '')
        if (occurredMs > atMs) atMs = occurredMs
      }
      yield { page, atMs }
    }
  }

  #write(page: ListedEvents, progress: { fromMs: number; atMs: number; toMs: number }): void {
    const written = this.writer.write(incomingEvents(page), 'list', this.#current(), this.#clockAheadMs)
    warnOf(written, this.options.onWarning)
    this.#added += written.added
    this.options.onProgress?.({ added: this.#added, ...progress })
  }

  #cover(): void {
    this.writer.cover('events', this.#current(), this.#clockAheadMs)
  }

  #current(): Coverage {
    const { looked, earlier } = this.#position
    return { ...this.#coverage, position: { looked: Object.fromEntries(looked), earlier } }
  }
}

function positionOf({ position }: Coverage): Position {
  const { looked, earlier } = position
  const times = isRecord(looked) ? Object.entries(looked) : []
  const { fromMs, atMs } = isRecord(earlier) ? earlier : {}
  return {
    looked: new Map(times.map(([backMs, atMs]) => [Number(backMs), Number(atMs)])),
    earlier: typeof fromMs === 'number' && typeof atMs === 'number' ? { fromMs, atMs } : undefined,
  }
}

/** The events of a page as the archive takes them. A record without an id is kept under the fingerprint of its bytes. */
function incomingEvents({ events, nameless }: ListedEvents): IncomingEvent[] {
  const { hash } = process.getBuiltinModule('node:crypto')
  const unnamed = nameless.map((record): IncomingEvent => {
    const eventId = `sha256-${hash('sha256', record, 'hex').slice(0, 16)}`
    const none = {
      eventType: null,
      occurredAt: null,
      deliveryId: null,
      deliveryAttempts: null,
      lastDeliveryStatus: null,
    }
    return { eventId, ...none, record, body: undefined, data: undefined, problem: 'has no eventId' }
  })
  return [...events, ...unnamed]
}

/** Says that events cannot be read: of each, or of the first and how many there are on a page that has many of them. */
export function warnOf({ unread }: WrittenPage, onWarning: (text: string) => void): void {
  const told = unread.length > unreadToldMax ? unread.slice(0, 1) : unread
  const others = unread.length - told.length
  for (const { eventId, problem } of told)
    onWarning(
      `Event ${eventId} of the service's list ${problem}: it is not in the tables${others > 0 ? `, nor are ${others} others of its page` : ''}.`,
    )
}

/** More events of a page that cannot be read are counted. */
const unreadToldMax = 3

/** Options of keeping an archive current. */
export interface FollowOptions extends Omit<FillOptions, 'onProgress' | 'isHurried'> {
  signal: AbortSignal
  /** Interval of the listings in milliseconds. Default 2,000. */
  intervalMs?: number | undefined
  /** Told after each listing. */
  onFilled(filled: Filled): Promise<void>
  /** Told of a listing that failed; the next one follows after a growing pause. What it throws ends everything. */
  onError(error: unknown): void
}

/** Keeps an archive current until the signal aborts. */
export async function followArchive(
  writer: ArchiveWriter,
  service: ArchiveService,
  { intervalMs = 2_000, onFilled, onError, ...options }: FollowOptions,
): Promise<void> {
  const { signal } = options
  let failures = 0
  while (!signal.aborted) {
    try {
      await onFilled(await fillArchive(writer, service, options))
      failures = 0
    } catch (error) {
      if (signal.aborted) return
      failures++
      onError(error)
    }
    await sleep(followPauseMs(intervalMs, failures), signal)
  }
}
