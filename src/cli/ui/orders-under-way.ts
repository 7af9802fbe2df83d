import type { ArchiveReader } from '../../archive/index.js'
import { deliveryStatuses } from '../../contract/index.js'
import { isActive } from '../../trade/statuses.js'
import type { OrderUnderWay } from '../../ui/index.js'
import { accessOrderOfRow } from '../archive/access-orders.js'
import { Installations } from '../deliveries/listing/chosen.js'
import { stopOf } from '../deliveries/listing/from-archive.js'

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
