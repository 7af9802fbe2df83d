import { archivePaths, hasArchive } from '../../../archive/index.js'
import type { Client } from '../../../client/index.js'
import { type DeliveryListItem, limits } from '../../../contract/index.js'
import type { Session } from '../../session/session.js'
import { type Listing, statusFits } from './filters.js'
import type { DeliveryListFlags } from './flags.js'
import { type ListPlan, spanOf } from './plan.js'

/** An account with more deliveries than this in the period gets its archive. */
const mostItems = 5_000
/** So many deliveries are read one by one in any case, and otherwise a share: each has some twenty events, a hundred a page. */
const fewDeliveries = 20
const shareOfItems = 0.25

/**
 * The deliveries of an account without an archive that can belong to a list over several accounts, if reading these one by
 * one takes less than filling the archive: a minute for forty accounts. `undefined` if the archive is to answer.
 */
export async function itemsToAsk(
  session: Session,
  client: Client,
  plan: ListPlan,
  flags: DeliveryListFlags,
): Promise<DeliveryListItem[] | undefined> {
  if (!session.output.isGathered || flags.fresh !== undefined || !isByStatus(plan)) return undefined
  if (hasArchive(archivePaths(session.config.dataDir, await session.account.dataName()))) return undefined
  const span = spanOf(plan, flags.to, await session.nowMsFor(client, '0s'))
  const items: DeliveryListItem[] = []
  let count = 0
  for await (const item of client.each('listDeliveries', { ...span, limit: limits.pageSizeMax })) {
    if (++count > mostItems) return undefined
    if (statusFits(plan.listing, item.status) !== false) items.push(item)
  }
  return items.length <= Math.max(fewDeliveries, count * shareOfItems) ? items : undefined
}

/** Whether the status in the service's list tells which deliveries can belong. */
function isByStatus({ listing, change }: ListPlan): boolean {
  const { store, installation, search }: Listing = listing
  return statusFits(listing, 'delivered') === false && (store ?? installation ?? search ?? change) === undefined
}
