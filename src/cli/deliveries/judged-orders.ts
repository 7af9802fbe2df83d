import { type ArchivedDelivery, type ArchiveReader, isFromOrder } from '../../archive/index.js'
import { deliveryStatuses } from '../../contract/index.js'
import type { BoardOrder } from '../../render/board-view.js'
import { textOf } from '../../shared/json.js'
import { columnOf, problemOf, type Standing } from '../../trade/problems.js'
import { type PromiseRules, promiseOf } from '../../trade/promise.js'
import { endedBadly, stageOf, unwantedCancellations } from '../../trade/statuses.js'
import type { Judging } from './problem-rules.js'

/** Statuses of a delivery that boards do not show. */
const doneStatuses = deliveryStatuses.filter(
  (status) => stageOf(status) === 'done' && !unwantedCancellations.some((reason) => endedBadly(status, reason)),
)

/** A delivery that a board may show, before it is judged. */
export interface ArchivedOrder {
  row: ArchivedDelivery
  driver: Record<string, unknown> | undefined
}

/** The deliveries under way, and those that ended badly, unless others are left out; newest first. */
export function readOrders(archive: ArchiveReader, fromMs: number, exceptStatuses = doneStatuses): ArchivedOrder[] {
  const drivers = new Map<unknown, Record<string, unknown>>()
  const people = archive.hasPeople ? 'LEFT JOIN driver_people USING (driver_id)' : ''
  for (const driver of archive.rows(`SELECT * FROM drivers ${people}`)) drivers.set(driver.driver_id, driver)
  return Array.from(archive.deliveries({ fromMs, exceptStatuses }), (row) => ({
    row,
    driver: drivers.get(row.driver_id),
  }))
}

/** The orders that a board shows at a moment of the service's clock; those that ended badly stay for a day. */
export function judgedOrders(orders: readonly ArchivedOrder[], judging: Judging, nowMs: number): BoardOrder[] {
  return orders.flatMap(({ row, driver }) => {
    const standing = standingOfRow(row, judging.promises)
    const problem = problemOf(standing, nowMs, judging.limits)
    const column = columnOf(standing, problem, nowMs)
    if (column === 'done') return []
    return {
      deliveryId: row.delivery_id,
      clientOrderReference: row.client_order_reference ?? undefined,
      status: row.status,
      column,
      sinceMs: standing.sinceMs ?? Date.parse(row.seen_at),
      etaMs: msOf(row.newest_eta),
      window: { startMs: msOf(row.window_start), endMs: msOf(row.window_end) },
      isWindowSent: isFromOrder(row, 'window_start') || isFromOrder(row, 'window_end'),
      problem: problem?.text,
      lateMs: problem?.lateMs ?? 0,
      statusReasonCode: row.status_reason_code ?? undefined,
      driver: textOf(driver?.name),
      vehicle: textOf(driver?.vehicle_description),
      storeReference: row.store_reference ?? undefined,
      contactName: row.contact_name ?? undefined,
      address: row.address ?? undefined,
    }
  })
}

const deliveredSince = `SELECT count(*) AS count FROM deliveries WHERE status = 'delivered' AND ended_at >= ?`

/** The number of deliveries that were delivered since a time of the service's clock. */
export function deliveredCount(archive: ArchiveReader, sinceMs: number): number {
  const [row] = archive.rows(deliveredSince, new Date(sinceMs).toISOString())
  return Number(row?.count)
}

/** The facts by which a delivery of the archive is judged. */
export function standingOfRow(row: ArchivedDelivery, promises: PromiseRules = {}): Standing {
  const { status, status_reason_code: statusReasonCode } = row
  return {
    status,
    statusReasonCode,
    sinceMs: msOf(row.status_since),
    positionMs: msOf(row.position_at),
    promise: promiseOf(
      {
        reference: row.client_order_reference ?? undefined,
        acceptedMs: msOf(row.created_at),
        windowEndMs: msOf(row.window_end),
        firstEtaMs: msOf(row.first_eta),
      },
      promises,
    ),
  }
}

function msOf(time: string | null): number | undefined {
  return time === null ? undefined : Date.parse(time)
}
