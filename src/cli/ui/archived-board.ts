import type { ArchivedDelivery, ArchiveReader } from '../../archive/index.js'
import { maskName } from '../../shared/mask-personal-data.js'
import type { PromiseRules } from '../../trade/promise.js'
import { isActive } from '../../trade/statuses.js'
import type { Backend, Board, DeliverySummary } from '../../ui/index.js'
import { type ArchivedOrder, readOrders, standingOfRow } from '../deliveries/judged-orders.js'

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
