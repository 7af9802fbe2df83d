import type { Client } from '../../../client/index.js'
import { type Delivery, type DeliveryListItem, limits } from '../../../contract/index.js'
import { valueAt } from '../../../render/view.js'
import { dayMs, minuteMs } from '../../../shared/durations.js'
import { foldedText } from '../../../shared/folded-text.js'
import { isRecord } from '../../../shared/json.js'
import { type Problem, problemOf, standingOf } from '../../../trade/problems.js'
import { promiseOf } from '../../../trade/promise.js'
import { isActive } from '../../../trade/statuses.js'
import type { Judging } from '../../report/judging.js'
import { type Listing, type Search, statusFits } from './filters.js'

/** A delivery of a list, with the parts that were asked for. */
interface ListedDelivery extends DeliveryListItem {
  statusReasonCode?: Delivery['statusReasonCode']
  statusReason?: Delivery['statusReason']
  pickup?: Delivery['pickup']
  driver?: Delivery['driver']
  /** From the newest `delivery.eta_updated`; `null` if there is none or the delivery has ended. */
  eta?: Eta
  /** With `--problem`: what is wrong, in words. */
  problem?: string | null
}

type Eta = Readonly<Record<string, unknown>> | null

/** A delivery that belongs to the list, with the key to sort it by. */
export interface Chosen {
  row: ListedDelivery
  store: string | undefined
}

/** Reads what a list item lacks; each part once, and only if it is needed. */
export class Details {
  constructor(
    private readonly client: Client,
    private readonly listing: Listing,
    private readonly nowMs: number,
    private readonly judging: Judging,
    /** Fields of `--columns` that only a whole delivery has. */
    private readonly columns: readonly string[],
    private readonly installations = new Installations(),
  ) {}

  /** Whether the filters or columns need data that the list does not have. */
  get areNeeded(): boolean {
    const { store, installation, search, parts, sort, problem } = this.listing
    const filters = [store, installation, search]
    const isFiltered = problem || filters.some((filter) => filter !== undefined) || sort?.key === 'store'
    return isFiltered || parts.length > 0 || this.columns.length > 0
  }

  /**
   * The item with its parts; `undefined` if it does not belong to the list. Conditions that need no request come first.
   */
  async choose(item: DeliveryListItem): Promise<Chosen | undefined> {
    const { listing, client } = this
    const fits = statusFits(listing, item.status)
    if (fits === false) return undefined
    let delivery: Promise<Delivery> | undefined
    const whole = () => {
      delivery ??= client.getDelivery({ deliveryId: item.deliveryId })
      return delivery
    }
    const { search, store, installation, parts, sort } = listing
    if (search !== undefined && !isIn(search, [item.clientOrderReference]) && !isIn(search, textsOf(await whole())))
      return undefined
    if (store !== undefined && (await whole()).pickup?.storeReference !== store) return undefined
    if (installation !== undefined && this.installations.codeOf(await whole()) !== installation) return undefined
    const isWhole = this.columns.every((path) => valueAt(item, path) !== undefined)
    const row: ListedDelivery = isWhole ? { ...item } : { ...(await whole()), ...item }
    if (listing.problem) {
      const problem = await this.problemOf(await whole())
      if (fits === 'judge' && problem === undefined) return undefined
      row.problem = problem?.text ?? null
    }
    for (const part of parts) {
      if (part === 'eta') row.eta = (await etasOf(client, item, this.nowMs)).at(-1) ?? null
      else Object.assign(row, partOf(part, await whole()))
    }
    const isByStore = sort?.key === 'store'
    return { row, store: isByStore ? ((await whole()).pickup?.storeReference ?? undefined) : undefined }
  }

  private problemOf(delivery: Delivery): Promise<Problem | undefined> {
    return problemOfDelivery(delivery, this.judging, this.nowMs, () => firstEtaMsOf(this.client, delivery, this.nowMs))
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
  codeOf({ dropoff, clientOrderReference }: Delivery): string | undefined {
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
  const oldestMs = nowMs - limits.eventRetentionDays * dayMs + minuteMs
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

function timeMsOf(time: string | null | undefined): number | undefined {
  const atMs = Date.parse(time ?? '')
  return Number.isNaN(atMs) ? undefined : atMs
}

function partOf(part: 'reason' | 'store' | 'driver', delivery: Delivery): Partial<ListedDelivery> {
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

/** The texts that are searched besides the reference. */
function textsOf({ dropoff }: Delivery): unknown[] {
  const { address, contactName, contactPhone } = dropoff ?? {}
  const lines = isRecord(address)
    ? [Object.values(address).filter(Boolean).join(' '), Object.values(address).filter(Boolean).join(', ')]
    : [address]
  return [contactName, contactPhone, ...lines]
}

function isIn({ text, digits }: Search, texts: readonly unknown[]): boolean {
  return texts.some((found) => {
    if (typeof found !== 'string') return false
    if (foldedText(found).includes(text)) return true
    return digits !== undefined && found.startsWith('+') && found.replace(/\D/g, '').includes(digits)
  })
}

/** The number of deliveries that are read at a time. */
const readsAtOnce = 8

/** The chosen deliveries in the order of their items, several of which are read at a time. */
export async function* chosenOf(items: AsyncIterable<DeliveryListItem>, details: Details): AsyncGenerator<Chosen> {
  const reads: Promise<Chosen | undefined>[] = []
  const next = async () => {
    const chosen = await reads.shift()
    return chosen === undefined ? [] : [chosen]
  }
  for await (const item of items) {
    const read = details.choose(item)
    // A failure is thrown in its turn, unless the list has ended before.
    read.catch(() => undefined)
    reads.push(read)
    if (reads.length >= (details.areNeeded ? readsAtOnce : 1)) yield* await next()
  }
  while (reads.length > 0) yield* await next()
}
