import { type ArchivedDelivery, type ArchiveReader, inflated } from '../../archive/index.js'
import type { Delivery } from '../../contract/index.js'
import { recordAt, tryParseJson } from '../../shared/json.js'
import { type AccessOrder, accessOrderOf } from '../../trade/obstacles.js'
import { timeMsOf } from '../../trade/promise.js'

const sentOrder = 'SELECT package, verification FROM orders WHERE client_order_reference = ?'

/** The facts of an order on its way to an installation: its newest snapshot, and what was sent from this machine. */
export function accessOrderOfRow(row: ArchivedDelivery, archive: ArchiveReader, installation: string): AccessOrder {
  const [sent] = archive.rows(sentOrder, row.client_order_reference ?? '')
  const json = (text: unknown) => (typeof text === 'string' ? tryParseJson(text)?.value : undefined)
  const told = recordAt(bodyOf(archive, row.seen_event_id), 'delivery') as Partial<Delivery>
  const { delivery_id: deliveryId, status, created_at: createdAt, gate } = row
  const dropoff = told.dropoff ?? { installation: { gate } }
  return accessOrderOf({ ...told, deliveryId, status, createdAt, dropoff }, installation, {
    package: json(sent?.package),
    verification: json(sent?.verification),
    window: { startMs: timeMsOf(row.window_start), endMs: timeMsOf(row.window_end) },
    etaMs: timeMsOf(row.newest_eta),
  })
}

/** The body of an event, if the archive holds people. */
export function bodyOf(archive: ArchiveReader, eventId: string | null): unknown {
  if (!archive.hasPeople || eventId === null) return undefined
  const [found] = archive.rows(`SELECT body FROM bodies WHERE kind = 'event' AND id = ?`, eventId)
  return found?.body instanceof Uint8Array
    ? tryParseJson(Buffer.from(inflated(found.body)).toString())?.value
    : undefined
}
