import { type ArchivedDelivery, type ArchiveReader, isFromOrder } from '../../../archive/index.js'
import { type DeliveryListItem, deliveryStatuses } from '../../../contract/index.js'
import { valueAt } from '../../../render/view.js'
import { isRecord, recordAt } from '../../../shared/json.js'
import { problemOf } from '../../../trade/problems.js'
import { isActive } from '../../../trade/statuses.js'
import { accessOrderOfRow, bodyOf } from '../../archive/access-orders.js'
import { standingOfRow } from '../judged-orders.js'
import { affectedOf, type Chosen, type ListedDelivery, partOf, severityOf, type Wanted } from './chosen.js'
import { statusFits } from './filters.js'

/** The archive's part of a list, and how a whole delivery is read, of which it keeps only the figures. */
interface Archived {
  archive: ArchiveReader
  /** Milliseconds since the epoch; absent: all that is kept. */
  fromMs: number | undefined
  toMs: number | undefined
  read(deliveryId: string): Promise<object>
}

/** The deliveries of the archive that belong to a list, newest first. */
export async function* fromArchive(source: Archived, wanted: Wanted): AsyncGenerator<Chosen> {
  const { archive, fromMs, toMs } = source
  const { listing, nowMs, judging, installations, change } = wanted
  const { store, installation, search, problem } = listing
  const exceptStatuses = deliveryStatuses.filter((status) => statusFits(listing, status) === false)
  for (const row of archive.deliveries({ fromMs, toMs, exceptStatuses, store, search })) {
    const fits = statusFits(listing, row.status)
    if (fits === false) continue
    if (installation !== undefined && installations.codeOf(stopOf(row)) !== installation) continue
    const item: ListedDelivery = itemOf(row)
    let worse: Chosen['problem']
    if (problem) {
      const standing = standingOfRow(row, judging.promises)
      const found = problemOf(standing, nowMs, judging.limits)
      worse = severityOf(standing, found, nowMs)
      if (fits === 'judge' && (worse === undefined || worse.isPast)) continue
      item.problem = found?.text ?? null
    }
    if (change !== undefined) {
      const affected = affectedOf(change, accessOrderOfRow(row, archive, change.installation.code), nowMs)
      if (affected === undefined) continue
      Object.assign(item, affected)
    }
    const complete = () => completed(item, row, source, wanted)
    yield { row: item, store: row.store_reference ?? undefined, problem: worse, complete }
  }
}

function itemOf(row: ArchivedDelivery): DeliveryListItem {
  return {
    deliveryId: row.delivery_id,
    clientOrderReference: row.client_order_reference,
    status: row.status,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

/** The installation as the service told it: one that only an order from here names is not the service's word. */
export function stopOf(row: ArchivedDelivery) {
  const { installation_code: code, client_order_reference: clientOrderReference } = row
  const isKnown = code !== null && !isFromOrder(row, 'installation_code')
  return { clientOrderReference, dropoff: isKnown ? { installation: { code } } : {} }
}

/** The row with the parts of `--with` and the fields of `--columns`. */
async function completed(
  item: ListedDelivery,
  row: ArchivedDelivery,
  source: Archived,
  { listing, columns, sent }: Wanted,
): Promise<ListedDelivery> {
  let whole: Promise<Record<string, unknown>> | undefined
  const delivery = () => {
    whole ??= wholeOf(row, source, columns)
    return whole
  }
  const isWhole = columns.every((path) => valueAt(item, path) !== undefined)
  const completed: ListedDelivery = isWhole ? { ...item } : { ...(await delivery()), ...item }
  for (const part of listing.parts) {
    if (part === 'eta') completed.eta = etaOf(row, source.archive)
    else if (part === 'sent') completed.sent = sent(item)
    else Object.assign(completed, partOf(part, await delivery()))
  }
  return completed
}

/** The newest snapshot of a delivery; only the delivery itself has its history. */
async function wholeOf(
  row: ArchivedDelivery,
  { archive, read }: Archived,
  columns: readonly string[],
): Promise<Record<string, unknown>> {
  const needsHistory = columns.some((path) => path.startsWith('statusHistory'))
  const body = needsHistory ? undefined : bodyOf(archive, row.seen_event_id)
  const delivery = recordAt(body, 'delivery')
  if (Object.keys(delivery).length === 0) return { ...(await read(row.delivery_id)) }
  // A reason stays while its status does, though the newest snapshot may not repeat it.
  return row.status_reason_code === null ? delivery : { ...delivery, statusReasonCode: row.status_reason_code }
}

const newestEta = `SELECT event_id FROM events WHERE delivery_id = ? AND event_type = 'delivery.eta_updated'
  ORDER BY occurred_at DESC LIMIT 1`

function etaOf(row: ArchivedDelivery, archive: ArchiveReader): ListedDelivery['eta'] {
  if (!isActive(row.status) || row.newest_eta === null) return null
  const [event] = archive.rows(newestEta, row.delivery_id)
  const eta = recordAt(bodyOf(archive, String(event?.event_id ?? '')), 'eta')
  return isRecord(eta) && Object.keys(eta).length > 0 ? eta : { dropoff: row.newest_eta }
}
