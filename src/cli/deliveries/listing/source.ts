import type { ArchiveReader } from '../../../archive/index.js'
import type { Client } from '../../../client/index.js'
import type { DeliveryListItem } from '../../../contract/index.js'
import { openCurrent } from '../../archive/current.js'
import { parseTime } from '../../input/durations.js'
import type { Session } from '../../session/session.js'
import { itemsToAsk } from './asked-directly.js'
import type { DeliveryListFlags } from './flags.js'
import type { ListPlan } from './plan.js'

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
