import type { ArchiveReader } from '../../../archive/index.js'
import { type Client, createPacer } from '../../../client/index.js'
import type { DeliveryListItem, KnownDeliveryStatus } from '../../../contract/index.js'
import { deliveryListWith, totalsText } from '../../../render/delivery-view.js'
import { sentColumns } from '../../../render/sent-order.js'
import { openCurrent } from '../../archive/current.js'
import { parseTime } from '../../input/durations.js'
import { listed, listedRows, mostRows } from '../../output/paged-list.js'
import { exitCodes } from '../../process/exit-codes.js'
import type { Session } from '../../session/session.js'
import { itemsToAsk } from './asked-directly.js'
import type { Chosen, Wanted } from './chosen.js'
import type { DeliveryListFlags } from './flags.js'
import { fromArchive } from './from-archive.js'
import { fromService } from './from-service.js'
import { type Comparison, comparing, sortedOf, worstFirst } from './order.js'
import { type ListPlan, type ListSpan, planList, spanOf, wantedOf } from './plan.js'

/**
 * `deliveries list`: plan what is asked for, open what answers it, order the rows, print them, and say what the list may
 * lack. A list that needs no more than the service's own filters is printed page by page, with its cursor.
 */
export async function listDeliveries(session: Session, flags: DeliveryListFlags): Promise<void> {
  const client = await session.client({ limit: 'listing', pacer: createPacer() })
  const plan = await planList(session, client, flags)
  const asked = plan.isArchived ? await itemsToAsk(session, client, plan, flags) : undefined
  const archive = plan.isArchived && asked === undefined ? await archiveOf(session, client, plan, flags) : undefined
  session.onClose(() => archive?.close())
  const nowMs =
    archive === undefined ? await nowMsOf(session, client, plan, flags) : session.nowMs() + archive.clockAheadMs
  const list = {
    session,
    client,
    plan,
    flags,
    archive,
    asked,
    span: spanOf(plan, flags.to, nowMs),
    counts: new Map<string, number>(),
  }
  await (plan.isDoneHere ? printChosen(list, await wantedOf(session, plan, flags, nowMs)) : printPages(list))
  const remark = session.output.isGathered ? undefined : periodRemark(list, list.counts.size === 0)
  if (remark !== undefined) session.notices.notice(remark)
  if (flags['exit-code'] && list.counts.size > 0) session.endWith(exitCodes.otherOutcome)
  session.endIfStale(flags['exit-code'] ? '--exit-code' : flags.fresh === 'yes' ? '--fresh yes' : undefined)
}

/** A list that is being answered. */
interface OpenList {
  session: Session
  client: Client
  plan: ListPlan
  flags: DeliveryListFlags
  /** Absent if the service answers. */
  archive: ArchiveReader | undefined
  /** The deliveries that the service is asked for one by one, if that is chosen already. */
  asked: readonly DeliveryListItem[] | undefined
  span: ListSpan
  /** The rows that were shown, by status. */
  counts: Map<string, number>
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
function readsMore({ listing, change, columns }: ListPlan): boolean {
  return change !== undefined || listing.parts.length + columns.length > 0
}

/** The service's time, which is asked for only if the list depends on it. */
function nowMsOf(session: Session, client: Client, { from, needsMore }: ListPlan, { ref, to }: DeliveryListFlags) {
  return session.nowMsFor(client, ...(ref === undefined ? [from, to] : needsMore ? ['0s'] : []))
}

/** Whether the whole archive is looked through: a search and a list of problems cost it no more than a day's. */
function searchesAll({ archive, plan: { listing }, flags }: OpenList): boolean {
  const looksEverywhere = listing.search !== undefined || (listing.problem && !listing.active)
  return archive !== undefined && looksEverywhere && flags.from === undefined && flags.to === undefined
}

/** Rows that are chosen and ordered here. */
async function printChosen(list: OpenList, wanted: Wanted): Promise<void> {
  const { session, plan, flags } = list
  let total: number | undefined
  const counted = (count: number) => {
    total = count
    // All rows are held now, and of many accounts an open file each would be memory for nothing.
    if (session.output.isGathered && !readsMore(plan)) list.archive?.close()
  }
  const rows = completed(ordered(list, chosenOf(list, wanted), counted))
  const compare = comparisonOf(plan) ?? comparing({ key: 'created', isReversed: false })
  await listedRows(session.output, session.notices, {
    ...shownAs(list),
    rows,
    shownOf: ({ row }) => row,
    compare,
    flags,
    end: 'first',
    total: () => (plan.listing.problem ? total : undefined),
  })
  const { doubt } = wanted.installations
  if (doubt === undefined) return
  session.notices.warn(`${doubt}.`)
  session.endWith(exitCodes.otherOutcome)
}

function chosenOf(list: OpenList, wanted: Wanted): AsyncGenerator<Chosen> {
  const { archive, client, span, asked } = list
  if (archive === undefined) return fromService(client, asked ?? queryOf(list), wanted)
  return fromArchive(
    {
      archive,
      fromMs: searchesAll(list) ? undefined : Date.parse(span.from),
      toMs: span.to === undefined ? undefined : Date.parse(span.to),
      read: (deliveryId) => client.getDelivery({ deliveryId }),
    },
    wanted,
  )
}

function ordered({ plan, flags }: OpenList, chosen: AsyncGenerator<Chosen>, counted: (total: number) => void) {
  const compare = comparisonOf(plan)
  return compare === undefined ? chosen : sortedOf(chosen, compare, mostRows(flags) + 1, counted)
}

/** The order of a list that is not the service's: newest first. */
function comparisonOf({ listing }: ListPlan): Comparison | undefined {
  if (listing.sort !== undefined) return comparing(listing.sort)
  return listing.problem ? worstFirst : undefined
}

/** Deliveries with all that was asked for, and still with what they are sorted by: several accounts are merged by it. */
async function* completed(chosen: AsyncIterable<Chosen>): AsyncGenerator<Chosen> {
  for await (const one of chosen) yield { ...one, row: await one.complete() }
}

/** The service's own list. */
async function printPages(list: OpenList): Promise<void> {
  const { session, client, plan, flags, span } = list
  const [status] = plan.listing.statuses
  const query = { ...queryOf(list), ...(status === undefined ? {} : { status: status as KnownDeliveryStatus }) }
  await listed(session.output, session.notices, {
    ...shownAs(list),
    flags,
    open: (page) => client.pages('listDeliveries', { ...query, ...page }),
    rowsOf: ({ deliveries }) => deliveries,
    typed: session.words,
    times: { ...span },
    order: { flag: 'to', timeOf: ({ createdAt }) => createdAt, idOf: ({ deliveryId }) => deliveryId },
  })
}

function queryOf({ flags, span }: OpenList) {
  return flags.ref === undefined ? span : { clientOrderReference: flags.ref }
}

function shownAs(list: OpenList) {
  const { session, plan, counts } = list
  const { listing, change } = plan
  const parts = [
    ...(listing.problem ? ['problem'] : []),
    ...listing.parts,
    ...(change === undefined ? [] : ['obstacle']),
  ]
  return {
    view: deliveryListWith(parts, sentColumns),
    onRow: ({ status }: { status: string }) => void counts.set(status, (counts.get(status) ?? 0) + 1),
    lastLine: () => totalsText(counts, session.output.style),
    remark: (isEmpty: boolean) => periodRemark(list, isEmpty),
  }
}

/** Says which period was looked at, where one may expect another. */
function periodRemark(list: OpenList, isEmpty: boolean): string | undefined {
  const { session, plan, archive } = list
  const { active, problem, statuses, store, installation } = plan.listing
  const isNoticed = isEmpty && !session.output.choices.quiet
  if (searchesAll(list)) {
    const begins = archive?.periods[0]
    if (!isNoticed || begins === undefined) return undefined
    return `The archive begins at ${new Date(begins.fromMs).toISOString()}; an earlier --from looks further back.`
  }
  const isFiltered = active || problem || [...statuses, store, installation].some(Boolean)
  if (isFiltered && plan.isDefaultPeriod && (isNoticed || session.output.forPeople))
    return 'Only deliveries created in the last 24h; --from 7d looks further back.'
  return undefined
}
