import type { DatabaseSync } from 'node:sqlite'
import { hourMs } from '../shared/durations.js'
import { foldedText, type SearchText } from '../shared/texts.js'
import { type WebhookStatus, webhookStatusOf } from '../trade/webhook-status.js'
import { type ArchivePaths, archiveError, attachForReading, hasArchive, naming, openForReading } from './database.js'
import { hourOf, inflated, isoOf } from './event-rows.js'
import { type Coverage, coverageOf, mergedPeriods, type Period, periodsOf } from './files.js'
import type { tables } from './tables.js'

/** The value of a column in SQLite; flags are 0 or 1, times and JSON are text. */
type SqlValue<Kind> = Kind extends 'integer' | 'real' | 'flag' ? number : Kind extends 'bytes' ? Uint8Array : string

/** A row of a table. */
export type RowOf<Name extends keyof typeof tables> = {
  -readonly [Column in keyof (typeof tables)[Name]['columns']]: (typeof tables)[Name]['columns'][Column] extends {
    type: infer Kind
    isRequired: true
  }
    ? SqlValue<Kind>
    : (typeof tables)[Name]['columns'][Column] extends { type: infer Kind }
      ? SqlValue<Kind> | null
      : never
}

/** Conditions of deliveries; those that are absent do not matter. */
interface DeliveryConditions {
  /** Created at this time or later, in milliseconds since the epoch. */
  fromMs?: number | undefined
  /** Created before this time. */
  toMs?: number | undefined
  statuses?: readonly string[] | undefined
  exceptStatuses?: readonly string[] | undefined
  store?: string | undefined
  installation?: string | undefined
  reference?: string | undefined
  /** A folded text that is in the reference, or in a name, a phone number or an address; digits of a phone number. */
  search?: SearchText | undefined
}

/** A delivery of the archive, with the person at its dropoff if the second file is open and has one. */
export type ArchivedDelivery = RowOf<'deliveries'> & Partial<RowOf<'people'>>

/** Events whose webhooks went alike: their attempts together, and the times from event to listener of those received. */
interface WebhookCounts {
  attempts: number
  status: WebhookStatus | undefined
  count: number
  receivedMs: number[]
}

/** An archive that is open for reading. */
export class ArchiveReader {
  private constructor(
    readonly database: DatabaseSync,
    /** The period of the events, in milliseconds since the epoch; `undefined` before the first fill. */
    readonly coverage: Coverage | undefined,
    /** Milliseconds by which the service's clock was ahead of this machine's at the last fill. */
    readonly clockAheadMs: number,
    /** The periods whose deliveries it has, by events or by a backfill, oldest first: between two of them is a gap. */
    readonly periods: readonly Period[],
    private readonly paths: ArchivePaths,
    /** Whether the second file is attached as `people_file`. */
    readonly hasPeople: boolean,
    /** Deliveries that changed since the last fill, by id. */
    private readonly news: ReadonlyMap<string, ArchivedDelivery> = new Map(),
  ) {}

  /**
   * Opens an archive as another process, or this one, left it.
   *
   * @param people whether names, phone numbers, addresses and the JSON of events are read too, if they are there
   * @throws UsageError if there is none, or a file cannot be read
   */
  static open(paths: ArchivePaths, { people = false }: { people?: boolean } = {}): ArchiveReader {
    const database = openForReading('archive', paths.archive)
    try {
      return naming(people ? paths : paths.archive, 'read', () => {
        const row = database.prepare("SELECT * FROM syncs WHERE source = 'events'").get()
        const coverage = coverageOf(row)
        const periods = periodsOf(database)
        const hasPeople = people && attachPeople(database, paths)
        database.function('folded', { deterministic: true }, (text) => foldedText(String(text)))
        const clockAheadMs = Number(row?.clock_ahead_ms ?? 0)
        return new ArchiveReader(database, coverage, clockAheadMs, periods, paths, hasPeople)
      })
    } catch (error) {
      database.close()
      throw error
    }
  }

  /**
   * The same files with what a listing has told since their last fill. Only `deliveries` knows of it.
   *
   * @param asOfMs when the listing began, on the service's clock
   */
  withNews(news: ReadonlyMap<string, ArchivedDelivery>, asOfMs: number, clockAheadMs: number): ArchiveReader {
    const coverage = this.coverage && { ...this.coverage, toMs: asOfMs }
    const periods = mergedPeriods(coverage === undefined ? this.periods : [...this.periods, coverage])
    return new ArchiveReader(this.database, coverage, clockAheadMs, periods, this.paths, this.hasPeople, news)
  }

  /** The time up to which the archive has the events, on the service's clock, in milliseconds since the epoch. */
  get asOfMs(): number | undefined {
    return this.coverage?.toMs
  }

  /** Deliveries that meet all conditions, newest first. */
  *deliveries(conditions: DeliveryConditions = {}): Generator<ArchivedDelivery, void, undefined> {
    const { where, values } = termsOf(conditions, this.hasPeople)
    const people = this.hasPeople
      ? 'LEFT JOIN people_file.people AS people ON people.delivery_id = deliveries.delivery_id'
      : ''
    const columns = this.hasPeople
      ? 'people.contact_name, people.contact_phone, people.address, people.instructions, people.search_text, deliveries.*'
      : '*'
    const sql = `SELECT ${columns} FROM deliveries ${people} ${where} ORDER BY created_at DESC, deliveries.delivery_id DESC`
    const kept = this.rows(sql, ...values) as Generator<ArchivedDelivery>
    if (this.news.size === 0) yield* kept
    else yield* withNews(kept, this.news, conditions)
  }

  /** The rows of a query. */
  *rows(sql: string, ...values: (string | number)[]): Generator<Record<string, unknown>, void, undefined> {
    try {
      yield* this.database.prepare(sql).iterate(...values)
    } catch (error) {
      throw archiveError(this.hasPeople ? this.paths : this.paths.archive, 'read', error)
    }
  }

  /** All rows of a query at once, as arrays: the fastest way to read many. */
  arrays(sql: string, ...values: (string | number)[]): unknown[][] {
    try {
      const statement = this.database.prepare(sql)
      statement.setReturnArrays(true)
      return statement.all(...values) as unknown as unknown[][]
    } catch (error) {
      throw archiveError(this.hasPeople ? this.paths : this.paths.archive, 'read', error)
    }
  }

  /** The bytes of these events' webhooks, oldest first, as far as the second file is attached and has them. */
  bodiesOf(ids: readonly string[]): { id: string; body: Uint8Array }[] {
    if (!this.hasPeople) return []
    const marks = ids.map(() => '?').join(', ')
    const kept = `SELECT id, body FROM people_file.bodies WHERE kind = 'event' AND id IN (${marks}) ORDER BY at`
    return [...this.rows(kept, ...ids)].flatMap(({ id, body }) =>
      body instanceof Uint8Array ? [{ id: String(id), body: inflated(body) }] : [],
    )
  }

  /** How the webhooks of a period's events went, with what listeners received. */
  *webhooks(fromMs: number, toMs: number): Generator<WebhookCounts, void, undefined> {
    const period = [isoOf(fromMs), isoOf(toMs)] as const
    // Whole hours are counted already.
    const firstMs = Math.min(Math.ceil(fromMs / hourMs) * hourMs, toMs)
    const lastMs = Math.max(Math.floor(toMs / hourMs) * hourMs, firstMs)
    const counts = this.arrays(
      `SELECT delivery_attempts, last_delivery_status, events, received FROM event_counts WHERE hour >= ? AND hour < ?
       UNION ALL SELECT delivery_attempts, last_delivery_status, 1, received_at IS NOT NULL FROM events
         WHERE occurred_at >= ? AND occurred_at < ? OR occurred_at >= ? AND occurred_at < ?`,
      ...[hourOf(isoOf(firstMs)), hourOf(isoOf(lastMs))],
      ...[period[0], isoOf(firstMs), isoOf(lastMs), period[1]],
    )
    let isReceived = false
    for (const [attempts, status, count, received] of counts) {
      const [each, events] = [Number(attempts), Number(count)]
      if (Number(received) > 0) isReceived = true
      const outcome = webhookStatusOf(status as string | null, each)
      yield { attempts: each * events, status: outcome, count: events, receivedMs: [] }
    }
    if (!isReceived) return
    const receivedMs: number[] = []
    const times = `SELECT unixepoch(received_at, 'subsec') - unixepoch(occurred_at, 'subsec') FROM events
      WHERE received_at IS NOT NULL AND occurred_at >= ? AND occurred_at < ?`
    for (const [seconds] of this.arrays(times, ...period)) receivedMs.push(Math.round(Number(seconds) * 1_000))
    yield { attempts: 0, status: undefined, count: 0, receivedMs }
  }

  close(): void {
    if (this.database.isOpen) this.database.close()
  }
}

/** The deliveries that meet the conditions, newest first; those that changed as they are now. */
function* withNews(
  kept: Iterable<ArchivedDelivery>,
  news: ReadonlyMap<string, ArchivedDelivery>,
  conditions: DeliveryConditions,
): Generator<ArchivedDelivery, void, undefined> {
  const isBefore = (one: ArchivedDelivery, other: ArchivedDelivery) =>
    one.created_at === other.created_at
      ? one.delivery_id > other.delivery_id
      : `${one.created_at}` > `${other.created_at}`
  const changed = [...news.values()].filter((row) => meets(row, conditions))
  changed.sort((one, other) => (isBefore(one, other) ? -1 : 1))
  for (const row of kept) {
    if (news.has(row.delivery_id)) continue
    for (let [next] = changed; next !== undefined && isBefore(next, row); [next] = changed) {
      changed.shift()
      yield next
    }
    yield row
  }
  yield* changed
}

/** Whether a delivery meets conditions as SQLite tests them; nothing is searched for. */
function meets(row: ArchivedDelivery, conditions: DeliveryConditions): boolean {
  const { fromMs, toMs, statuses, exceptStatuses, store, installation, reference } = conditions
  const createdAt = row.created_at
  return (
    (fromMs === undefined || (createdAt !== null && createdAt >= isoOf(fromMs))) &&
    (toMs === undefined || (createdAt !== null && createdAt < isoOf(toMs))) &&
    statuses?.includes(row.status) !== false &&
    exceptStatuses?.includes(row.status) !== true &&
    (store === undefined || row.store_reference === store) &&
    (installation === undefined || row.installation_code === installation) &&
    (reference === undefined || row.client_order_reference === reference)
  )
}

function attachPeople(database: DatabaseSync, { people }: ArchivePaths): boolean {
  if (!hasArchive({ archive: people, people })) return false
  // Checks that the file is what it should be.
  openForReading('people', people).close()
  attachForReading(database, people, 'people_file')
  return true
}

/** A reference for comparison; most are letters and digits, which SQLite folds faster. */
export const foldedReference = `CASE WHEN client_order_reference GLOB '*[^ !-&(-_a-~]*' THEN folded(client_order_reference)
  ELSE lower(client_order_reference) END`

function termsOf(conditions: DeliveryConditions, hasPeople: boolean): { where: string; values: (string | number)[] } {
  const { fromMs, toMs, statuses, exceptStatuses = [], store, installation, reference, search } = conditions
  const terms: string[] = []
  const values: (string | number)[] = []
  const add = (term: string, ...bound: (string | number)[]) => {
    terms.push(term)
    values.push(...bound)
  }
  if (fromMs !== undefined) add('created_at >= ?', new Date(fromMs).toISOString())
  if (toMs !== undefined) add('created_at < ?', new Date(toMs).toISOString())
  if (statuses !== undefined) add(`status IN (${statuses.map(() => '?').join(', ')})`, ...statuses)
  if (exceptStatuses.length > 0) add(`status NOT IN (${exceptStatuses.map(() => '?').join(', ')})`, ...exceptStatuses)
  if (store !== undefined) add('store_reference = ?', store)
  if (installation !== undefined) add('installation_code = ?', installation)
  if (reference !== undefined) add('client_order_reference = ?', reference)
  if (search !== undefined) {
    const { text, digits } = search
    const texts = hasPeople && digits !== undefined && digits !== text ? [text, digits] : [text]
    const parts = [`instr(${foldedReference}, ?) > 0`]
    if (hasPeople) parts.push(...texts.map(() => 'instr(search_text, ?) > 0'))
    add(`(${parts.join(' OR ')})`, text, ...(hasPeople ? texts : []))
  }
  return { where: terms.length === 0 ? '' : `WHERE ${terms.join(' AND ')}`, values }
}
