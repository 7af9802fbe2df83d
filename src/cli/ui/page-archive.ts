import {
  type ArchivedDelivery,
  type ArchivePaths,
  ArchiveReader,
  type ListedDelivery,
  type ListPlace,
  type ListQuery,
  listDeliveries,
} from '../../archive/index.js'
import { deliveryStatuses } from '../../contract/index.js'
import { maskName } from '../../shared/mask-personal-data.js'
import { sleep } from '../../shared/sleep.js'
import { searchTextOf } from '../../shared/texts.js'
import type { PromiseRules, PromiseSource } from '../../trade/promise.js'
import { isActive } from '../../trade/statuses.js'
import type {
  Backend,
  Board,
  DeliveryList,
  DeliverySummary,
  OrderUnderWay,
  PlacedPage,
  PlacedRow,
} from '../../ui/index.js'
import { accessOrderOfRow } from '../archive/access-orders.js'
import { type ArchivedOrder, readOrders, standingOfRow } from '../deliveries/judged-orders.js'
import { Installations } from '../deliveries/listing/chosen.js'
import { stopOf } from '../deliveries/listing/from-archive.js'

/** How long a search that found nothing waits for what is new. */
const searchWaitMs = 1_000

/**
 * The list of the page, from the archive. The first page is brought up to date first; a search answers from what is there
 * once that has happened, and then has it brought up to date.
 */
export function archivedList(
  paths: ArchivePaths,
  openCurrent: () => Promise<ArchiveReader>,
  onError: (error: unknown) => void,
): DeliveryList {
  let wasRead = false
  let reading: Promise<void> | undefined
  const bringUpToDate = async () => {
    reading ??= openCurrent()
      .then((archive) => {
        archive.close()
        wasRead = true
      })
      .finally(() => {
        reading = undefined
      })
    await reading
  }
  return async ({ sort, isDescending, after, limit, search, isStale = false }) => {
    // A later page continues the list as it began.
    const place = after === undefined ? undefined : placeOf(after)
    if (!isStale && place === undefined && (search === '' || !wasRead)) await bringUpToDate()
    const read = () => readPage(paths, { sort, isDescending, after: place, limit, search: searchTextOf(search) })
    const found = read()
    if (isStale || place !== undefined || search === '') return found
    const update = () => bringUpToDate().catch(onError)
    // Somebody who types a search waits for what is new only if nothing else is found.
    if (found.rows.length > 0) {
      setImmediate(update)
      return found
    }
    await Promise.race([update(), sleep(searchWaitMs)])
    return read()
  }
}

function readPage(paths: ArchivePaths, query: ListQuery): PlacedPage {
  const archive = ArchiveReader.open(paths, { people: true })
  try {
    const { rows, next, total } = listDeliveries(archive, query)
    const { asOfMs } = archive
    return {
      rows: rows.map(rowOf),
      next: next === undefined ? null : JSON.stringify(next),
      total: query.after === undefined ? total : null,
      asOf: asOfMs === undefined ? null : new Date(asOfMs).toISOString(),
    }
  } finally {
    archive.close()
  }
}

/** A place that the page gives back as it was told; the beginning for any other text. */
function placeOf(text: string): ListPlace | undefined {
  try {
    const [value, deliveryId] = JSON.parse(text) as unknown[]
    const isPlace = (typeof value === 'string' || typeof value === 'number') && typeof deliveryId === 'string'
    return isPlace ? [value, deliveryId] : undefined
  } catch {
    return undefined
  }
}

function rowOf(row: ListedDelivery & { list_key: string | number }): PlacedRow {
  const { promised_by: by, promise_source: source } = row
  return {
    place: [row.list_key, row.delivery_id],
    deliveryId: row.delivery_id,
    reference: row.client_order_reference ?? row.delivery_id,
    status: row.status,
    reason: row.status_reason_code ?? undefined,
    since: row.status_since ?? undefined,
    store: row.store_reference ?? undefined,
    postalCode: row.postal_code ?? undefined,
    installation: row.installation_code ?? undefined,
    createdAt: row.created_at ?? undefined,
    promise: by === null ? undefined : { by, source: (source ?? 'none') as PromiseSource },
    eta: row.newest_eta ?? undefined,
    endedAt: row.ended_at ?? undefined,
    totalCents: row.total_price_cents ?? undefined,
    currency: row.currency ?? undefined,
  }
}

interface WantedBoard {
  /** The oldest creation. */
  fromMs: number
  /** How many of them, besides those that are under way. */
  most: number
  promises: PromiseRules
  placesOf: Backend['placesOf']
}

/** The deliveries of the archive that the page's board shows, newest first. */
export function boardOf(archive: ArchiveReader, { fromMs, most, promises, placesOf }: WantedBoard): Board {
  const deliveries: DeliverySummary[] = []
  let isCut = false
  for (const order of readOrders(archive, fromMs, [])) {
    const { status } = order.row
    if (deliveries.length >= most && !isActive(status)) isCut = true
    else deliveries.push(summaryOf(order, archive, promises, placesOf))
  }
  return { deliveries, isCut }
}

const newestPosition = `SELECT latitude, longitude FROM locations WHERE delivery_id = ? ORDER BY measured_at DESC LIMIT 1`

function summaryOf(
  { row, driver }: ArchivedOrder,
  archive: ArchiveReader,
  rules: PromiseRules,
  placesOf: Backend['placesOf'],
): DeliverySummary {
  const { promise } = standingOfRow(row, rules)
  const { store, gate, dropoff } = placesOf(placedOf(row))
  const [position] = isActive(row.status) ? archive.rows(newestPosition, row.delivery_id) : []
  const point = (place: { latitude: unknown; longitude: unknown } | undefined) =>
    place && { latitude: Number(place.latitude), longitude: Number(place.longitude) }
  return withoutEmpty({
    deliveryId: row.delivery_id,
    reference: row.client_order_reference ?? row.delivery_id,
    status: row.status,
    createdAt: row.created_at,
    updatedAt: row.updated_at ?? row.seen_at,
    since: row.status_since ?? undefined,
    reason: row.status_reason_code ?? undefined,
    store: row.store_reference ?? undefined,
    firstEta: row.first_eta ?? undefined,
    eta: row.newest_eta ?? undefined,
    promise: promise && { by: new Date(promise.promisedByMs).toISOString(), source: promise.source },
    positionAt: row.position_at ?? undefined,
    driver: typeof driver?.name === 'string' ? maskName(driver.name) : undefined,
    from: point(store),
    to: point(dropoff),
    gate: gate?.name,
    at: point(position as { latitude: unknown; longitude: unknown } | undefined),
  })
}

/** The delivery as far as it says where it begins and ends. */
function placedOf({ store_reference, postal_code, state, installation_code: code, gate }: ArchivedDelivery) {
  return {
    pickup: { storeReference: store_reference ?? undefined },
    dropoff: {
      address: { postalCode: postal_code ?? '', state: state ?? '' },
      ...(code !== null && { installation: { code, gate: gate ?? undefined } }),
    },
  }
}

function withoutEmpty(
  summary: { [Name in keyof DeliverySummary]: DeliverySummary[Name] | undefined },
): DeliverySummary {
  return Object.fromEntries(
    Object.entries(summary).filter(([, value]) => value !== undefined),
  ) as unknown as DeliverySummary
}

const exceptStatuses = deliveryStatuses.filter((status) => !isActive(status))

interface WantedOrders {
  /** The installations. */
  codes: ReadonlySet<string>
  /** The oldest creation. */
  fromMs: number
  /** Installations by the references of orders that were sent from here: a service may not return them. */
  sent: ReadonlyMap<string, string>
}

/** The orders of the archive that are under way or scheduled to some installations, newest first. */
export function ordersUnderWay(archive: ArchiveReader, { codes, fromMs, sent }: WantedOrders): OrderUnderWay[] {
  const installations = new Installations(sent)
  const found: OrderUnderWay[] = []
  for (const row of archive.deliveries({ fromMs, exceptStatuses })) {
    const code = installations.codeOf(stopOf(row))
    if (code === undefined || !codes.has(code)) continue
    found.push({
      order: accessOrderOfRow(row, archive, code),
      reference: row.client_order_reference ?? row.delivery_id,
      feeCents: row.cancellation_fee_cents,
      currency: row.currency,
    })
  }
  return found
}
