import { deliveryRowsOf, searchText } from '../../../archive/index.js'
import type { Client } from '../../../client/index.js'
import { type Delivery, type DeliveryListItem, limits } from '../../../contract/index.js'
import { oldestSinceMs } from '../../../contract/internal.js'
import { valueAt } from '../../../render/view.js'
import { isRecord } from '../../../shared/json.js'
import { foldedText, type SearchText } from '../../../shared/text-forms.js'
import { type AffectingChange, touchedBy } from '../../../trade/access.js'
import { type AccessOrder, accessOrderOf } from '../../../trade/access-order.js'
import { columnOf, type Problem, problemOf, type Standing, standingOf } from '../../../trade/problems.js'
import { promiseOf, timeMsOf } from '../../../trade/promise.js'
import type { SentFacts } from '../../../trade/sent-facts.js'
import { isActive, isExpected } from '../../../trade/statuses.js'
import type { Judging } from '../../report/judging.js'
import { type Listing, statusFits } from './filters.js'

/** A delivery of a list, with the parts that were asked for. */
export interface ListedDelivery extends DeliveryListItem {
  statusReasonCode?: Delivery['statusReasonCode']
  statusReason?: Delivery['statusReason']
  pickup?: Delivery['pickup']
  driver?: Delivery['driver']
  /** From the newest `delivery.eta_updated`; `null` if there is none or the delivery has ended. */
  eta?: Eta
  /** The facts sent from this machine with its order; `null` for one of another. */
  sent?: SentFacts | null
  /** With `--problem`: what is wrong, in words. */
  problem?: string | null
  /** With `--affected`: what is in its way by the change, in words. */
  obstacle?: string
  /** With `--affected`: commands for what can be done. */
  next?: string[]
}

type Eta = Readonly<Record<string, unknown>> | null

/** A delivery that belongs to the list, with the key to sort it by. */
export interface Chosen {
  row: ListedDelivery
  store: string | undefined
  /** With `--problem`: what makes one worse than another; `undefined` for what has none. */
  problem?: Severity | undefined
  /** The row with all that was asked for. */
  complete(): Promise<ListedDelivery>
}

/** What makes one problem worse than another. */
interface Severity {
  isPast: boolean
  isExpected: boolean
  lateMs: number
  sinceMs: number
}

/** How bad a delivery's problem is; `undefined` if it has none. */
export function severityOf(standing: Standing, found: Problem | undefined, nowMs: number): Severity | undefined {
  if (found === undefined) return undefined
  return {
    isPast: columnOf(standing, found, nowMs) === 'done',
    isExpected: isExpected(standing.status),
    lateMs: found.lateMs,
    sinceMs: standing.sinceMs ?? 0,
  }
}

interface ReadListing {
  client: Client
  listing: Listing
  nowMs: number
  judging: Judging
  /** Fields of `--columns` that only a whole delivery has. */
  columns: readonly string[]
  installations?: Installations | undefined
  sent: SentFactsOf
  change?: AffectingChange | undefined
}

/** The facts sent with a delivery's order, if it was sent from here. */
export type SentFactsOf = (delivery: Pick<DeliveryListItem, 'clientOrderReference'>) => SentFacts | null

/** Whether the filters or columns need data that the service's list does not have. */
export function needsDetails({ listing, columns }: Pick<ReadListing, 'listing' | 'columns'>): boolean {
  const { store, installation, search, parts, sort, problem } = listing
  const isFiltered = [store, installation, search].some((filter) => filter !== undefined)
  return isFiltered || problem || sort?.key === 'store' || parts.length > 0 || columns.length > 0
}

/** The deliveries among the service's items that belong to a list; each is read, if the list needs more than an item has. */
export async function* readOf(items: AsyncIterable<DeliveryListItem>, options: ReadListing): AsyncGenerator<Chosen> {
  const { client, listing, nowMs, judging, columns, sent, installations = new Installations(), change } = options
  const { store, installation, search, parts, problem } = listing
  for await (const item of items) {
    const fits = statusFits(listing, item.status)
    if (fits === false) continue
    if (!needsDetails(options)) {
      yield { row: item, store: undefined, complete: () => Promise.resolve(item) }
      continue
    }
    const whole = await client.getDelivery({ deliveryId: item.deliveryId })
    if (search !== undefined && !isIn(search, whole)) continue
    if (store !== undefined && whole.pickup?.storeReference !== store) continue
    if (installation !== undefined && installations.codeOf(whole) !== installation) continue
    const isWhole = columns.every((path) => valueAt(item, path) !== undefined)
    const row: ListedDelivery = isWhole ? { ...item } : { ...whole, ...item }
    let worse: Severity | undefined
    if (problem) {
      const found = await problemOfDelivery(whole, judging, nowMs, () => firstEtaMsOf(client, whole, nowMs))
      worse = severityOf(standingOf(whole), found, nowMs)
      if (fits === 'judge' && (worse === undefined || worse.isPast)) continue
      row.problem = found?.text ?? null
    }
    if (change !== undefined) {
      const window = judging.promises?.windows?.get(item.clientOrderReference ?? '')
      const affected = affectedOf(change, accessOrderOf(whole, change.installation.code, { window }), nowMs)
      if (affected === undefined) continue
      Object.assign(row, affected)
    }
    const complete = async () => {
      for (const part of parts) {
        if (part === 'eta') row.eta = (await etasOf(client, item, nowMs)).at(-1) ?? null
        else if (part === 'sent') row.sent = sent(item)
        else Object.assign(row, partOf(part, whole))
      }
      return row
    }
    yield { row, store: whole.pickup?.storeReference ?? undefined, problem: worse, complete }
  }
}

/** The installations of deliveries, by the service or by the orders that were sent from here. */
export class Installations {
  private looked = 0
  private unknown = 0
  private isTold = false

  constructor(
    /** Codes by the order's reference. */
    private readonly sent: ReadonlyMap<string, string> = new Map(),
    /** Whether an order without a code was sent from here, so that it is known to have none. */
    private readonly wasSent: (reference: string) => boolean = () => false,
  ) {}

  /** The installation of a delivery, if it is known to be on one. */
  codeOf({ dropoff, clientOrderReference }: Pick<Delivery, 'dropoff' | 'clientOrderReference'>): string | undefined {
    this.looked++
    const told = dropoff?.installation?.code ?? undefined
    if (told !== undefined) this.isTold = true
    const reference = clientOrderReference ?? ''
    const code = told ?? this.sent.get(reference)
    if (code === undefined && !this.wasSent(reference)) this.unknown++
    return code
  }

  /** Why a list by installation may lack deliveries; `undefined` if it is not known to lack any. */
  get doubt(): string | undefined {
    if (this.isTold || this.unknown === 0) return undefined
    const [of, were] = this.looked === 1 ? ['the delivery', 'was'] : [`the ${this.looked} deliveries`, 'were']
    const others = this.unknown === this.looked ? `${of}` : `${this.unknown} of ${of}`
    return `The service names no installation in ${of} that ${were} read, so nobody can tell where ${others} went`
  }
}

/** The problem of a delivery; its first ETA is requested only if nothing else promises a time. */
export async function problemOfDelivery(
  delivery: Delivery,
  { promises, limits: stuck }: Judging,
  nowMs: number,
  firstEtaMs: () => Promise<number | undefined>,
): Promise<Problem | undefined> {
  const standing = standingOf(delivery, promises)
  const promise = standing.promise ?? promiseOf({ firstEtaMs: await firstEtaMs() })
  return problemOf({ ...standing, promise }, nowMs, stuck)
}

/** The first ETA of an active delivery, from its events. */
export async function firstEtaMsOf(
  client: Client,
  { deliveryId, status, createdAt }: DeliveryListItem,
  nowMs: number,
): Promise<number | undefined> {
  const [first] = await etasOf(client, { deliveryId, status, createdAt }, nowMs, 1)
  return typeof first?.dropoff === 'string' ? timeMsOf(first.dropoff) : undefined
}

/** The ETAs of a delivery that is under way, oldest first. */
async function etasOf(
  client: Client,
  { deliveryId, status, createdAt }: Pick<DeliveryListItem, 'deliveryId' | 'status' | 'createdAt'>,
  nowMs: number,
  most?: number,
): Promise<NonNullable<Eta>[]> {
  if (!isActive(status)) return []
  const oldestMs = oldestSinceMs(nowMs)
  const sinceMs = Math.max(oldestMs, timeMsOf(createdAt) ?? oldestMs)
  const etas: NonNullable<Eta>[] = []
  const events = client.each('listEvents', {
    deliveryId,
    eventType: ['delivery.eta_updated'],
    since: new Date(sinceMs).toISOString(),
    limit: most ?? limits.pageSizeMax,
  })
  for await (const { data } of events) {
    const eta = isRecord(data) ? data.eta : undefined
    if (isRecord(eta)) etas.push(eta)
    if (etas.length === most) break
  }
  return etas
}

/** The obstacles that a change puts before an order, as a list shows them; `undefined` if it does not touch the order. */
export function affectedOf(
  change: AffectingChange,
  order: AccessOrder,
  nowMs: number,
): Required<Pick<ListedDelivery, 'obstacle' | 'next'>> | undefined {
  const touched = touchedBy(change, order, nowMs)
  if (touched === undefined) return undefined
  return {
    obstacle: touched.obstacles.map(({ text }) => text).join('; '),
    next: touched.remedies.map(({ command }) => `dlv ${command}`),
  }
}

export function partOf(part: 'reason' | 'store' | 'driver', delivery: Partial<Delivery>): Partial<ListedDelivery> {
  const { statusReasonCode, statusReason, pickup, driver } = delivery
  switch (part) {
    case 'reason':
      return { statusReasonCode: statusReasonCode ?? null, statusReason: statusReason ?? null }
    case 'store':
      return { pickup: pickup ?? null }
    default:
      return { driver: driver ?? null }
  }
}

function isIn({ text, digits }: SearchText, delivery: Delivery): boolean {
  const person = deliveryRowsOf({ ...delivery })?.person
  const found = `${foldedText(delivery.clientOrderReference ?? '')}\n${person === undefined ? '' : searchText(person)}`
  return found.includes(text) || (digits !== undefined && found.includes(digits))
}
