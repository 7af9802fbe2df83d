import {
  type ArchivePaths,
  ArchiveReader,
  type ListedDelivery,
  type ListPlace,
  type ListQuery,
  listDeliveries,
} from '../../archive/index.js'
import { sleep } from '../../shared/sleep.js'
import { searchTextOf } from '../../shared/texts.js'
import type { PromiseSource } from '../../trade/promise.js'
import type { DeliveryList, PlacedPage, PlacedRow } from '../../ui/index.js'

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
