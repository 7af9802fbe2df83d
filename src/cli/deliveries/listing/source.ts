import { type ArchiveReader, archivePaths, hasArchive } from '../../../archive/index.js'
import type { Client } from '../../../client/index.js'
import { type DeliveryListItem, limits } from '../../../contract/index.js'
import { openCurrent } from '../../archive/current.js'
import { parseTime } from '../../input/times.js'
import type { Session } from '../../session/session.js'
import { type Listing, statusFits } from './filters.js'
import type { DeliveryListFlags } from './flags.js'
import { type ListPlan, spanOf } from './plan.js'

/** Who answers a list. */
export interface ListSource {
  /** Absent if the service answers. */
  archive: ArchiveReader | undefined
  /** The deliveries that the service is asked for one by one, if that is chosen already. */
  asked: readonly DeliveryListItem[] | undefined
  /** The time that the list is read for. */
  nowMs: number
}

/**
 * Opens what answers a list: the archive where it needs more than the service's list has, else the service. The archive is
 * closed with the session.
 */
export async function openSource(
  session: Session,
  client: Client,
  plan: ListPlan,
  flags: DeliveryListFlags,
): Promise<ListSource> {
  const asked = plan.isArchived ? await itemsToAsk(session, client, plan, flags) : undefined
  if (!plan.isArchived || asked !== undefined)
    return { archive: undefined, asked, nowMs: await nowMsOf(session, client, plan, flags) }
  const archive = await archiveOf(session, client, plan, flags)
  session.onClose(() => archive.close())
  return { archive, asked, nowMs: session.nowMs() + archive.clockAheadMs }
}

async function archiveOf(session: Session, client: Client, plan: ListPlan, flags: DeliveryListFlags) {
  const { from, listing } = plan
  const archive = await openCurrent({
    ...(await session.archiveParts(client)),
    output: session.output,
    isFresh: flags.fresh !== 'no',
    fromMs: (serviceNowMs) => Date.parse(parseTime(from, '--from', serviceNowMs)),
    people: listing.search !== undefined || readsMore(plan),
    // Of many accounts, each archive that is written costs more than all else.
    isGlance: session.output.isGathered && listing.search === undefined && !readsMore(plan),
    onStale: session.onStale,
  })
  if (listing.search !== undefined && !archive.hasPeople)
    session.notices.warn('The archive holds no names, phone numbers and addresses: only references were searched.')
  return archive
}

/** Whether rows have more than the figures of the archive: parts, fields or an obstacle. */
export function readsMore({ listing, change, columns }: ListPlan): boolean {
  return change !== undefined || listing.parts.length + columns.length > 0
}

/** The service's time, which is asked for only if the list depends on it. */
function nowMsOf(session: Session, client: Client, { from, needsMore }: ListPlan, { ref, to }: DeliveryListFlags) {
  return session.nowMsFor(client, ...(ref === undefined ? [from, to] : needsMore ? ['0s'] : []))
}

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
