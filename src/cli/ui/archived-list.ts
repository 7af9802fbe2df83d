import {
  type ArchivePaths,
  ArchiveReader,
  type ListedDelivery,
  type ListPlace,
  listDeliveries,
} from '../../archive/index.js'
import { searchTextOf } from '../../shared/folded-text.js'
import type { PromiseSource } from '../../trade/promise.js'
import type { DeliveryList, ListPage, ListRow } from '../../ui/index.js'

/** An archive that was brought up to date within this time answers as it is. */
const freshMs = 3_000

/** The list of the page, from the archive, which is brought up to date first. */
export function archivedList(
  paths: ArchivePaths,
  openCurrent: () => Promise<ArchiveReader>,
  onError: (error: unknown) => void,
): DeliveryList {
  let readAtMs = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined
  const bringUpToDate = async () => {
    if (performance.now() - readAtMs < freshMs) return
    reading ??= openCurrent()
      .then((archive) => {
        archive.close()
        readAtMs = performance.now()
      })
      .finally(() => {
        reading = undefined
      })
    await reading
  }
  return async ({ sort, isDescending, after, limit, search }) => {
    const place = after === undefined ? undefined : placeOf(after)
    // A list is read on from what it began with, and who types a search does not wait for what is newer than a while.
    if (place === undefined && (search === '' || readAtMs < 0)) await bringUpToDate()
    else if (place === undefined) void bringUpToDate().catch(onError)
    const archive = ArchiveReader.open(paths, { people: true })
    try {
      const { rows, next, total } = listDeliveries(archive, {
        sort,
        isDescending,
        after: place,
        limit,
        search: searchTextOf(search),
      })
      const { asOfMs } = archive
      return {
        rows: rows.map(rowOf),
        next: next === undefined ? null : JSON.stringify(next),
        total: place === undefined ? total : null,
        asOf: asOfMs === undefined ? null : new Date(asOfMs).toISOString(),
      } satisfies ListPage
    } finally {
      archive.close()
    }
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

function rowOf(row: ListedDelivery): ListRow {
  const { promised_by: by, promise_source: source } = row
  return {
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
