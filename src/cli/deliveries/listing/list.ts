import { type Client, createPacer } from '../../../client/index.js'
import type { KnownDeliveryStatus } from '../../../contract/index.js'
import { deliveryListWith, totalsText } from '../../../render/delivery-view.js'
import { sentColumns } from '../../../render/sent-order.js'
import { listed, listedRows, mostRows } from '../../output/paged-list.js'
import { exitCodes } from '../../process/exit-codes.js'
import type { Session } from '../../session/session.js'
import type { Chosen, Wanted } from './chosen.js'
import type { DeliveryListFlags } from './flags.js'
import { fromArchive } from './from-archive.js'
import { fromService } from './from-service.js'
import { type ListPlan, type ListSpan, planList, spanOf, wantedOf } from './plan.js'
import { newestFirst, orderOf, sortedOf } from './sorting.js'
import { type ListSource, openSource, readsMore } from './source.js'

/**
 * `deliveries list`: plan what is asked for, open what answers it, choose and order the rows, print them, and say what the
 * list may lack. A list that needs no more than the service's own filters is printed page by page, with its cursor.
 */
export async function listDeliveries(session: Session, flags: DeliveryListFlags): Promise<void> {
  // Refuses a limit before anything is asked.
  mostRows(flags)
  const client = await session.client({ limit: 'listing', pacer: createPacer() })
  const plan = await planList(session, client, flags)
  const source = await openSource(session, client, plan, flags)
  const span = spanOf(plan, flags.to, source.nowMs)
  const list: OpenList = {
    session,
    client,
    plan,
    flags,
    ...source,
    span,
    shown: new Map(),
    hasAny: false,
    found: undefined,
  }
  await (plan.isDoneHere ? printChosen(list, await wantedOf(session, plan, flags, source.nowMs)) : printPages(list))
  const isEmpty = list.shown.size === 0
  const remark = session.output.isGathered ? undefined : periodRemark(list, isEmpty)
  if (remark !== undefined) session.notices.notice(remark)
  if (flags['exit-code'] && list.hasAny) session.endWith(exitCodes.otherOutcome)
  session.endIfStale(flags['exit-code'] ? '--exit-code' : flags.fresh === 'yes' ? '--fresh yes' : undefined)
}

/** A list that is being answered. */
interface OpenList extends ListSource {
  session: Session
  client: Client
  plan: ListPlan
  flags: DeliveryListFlags
  span: ListSpan
  /** The number of rows that were shown, by status. */
  shown: Map<string, number>
  /** Whether a row belongs to it: of several accounts, one of this account. */
  hasAny: boolean
  /** The number of rows that were chosen, once all are sorted. */
  found: number | undefined
}

/** Rows that are chosen, ordered and completed here. */
async function printChosen(list: OpenList, wanted: Wanted): Promise<void> {
  const { session, plan, flags } = list
  const chosen = chosenOf(list, wanted)
  const order = orderOf(plan.listing)
  const ordered =
    order === undefined ? chosen : sortedOf(chosen, order, mostRows(flags) + 1, (found) => allHeld(list, found))
  await listedRows(session.output, session.notices, {
    ...shownAs(list),
    rows: noticed(list, completed(ordered)),
    shownOf: ({ row }) => row,
    compare: order ?? newestFirst(),
    flags,
    end: 'first',
    total: () => (plan.listing.problem ? list.found : undefined),
  })
  const { doubt } = wanted.installations
  if (doubt === undefined) return
  session.notices.warn(`${doubt}.`)
  session.endWith(exitCodes.otherOutcome)
}

/** Notices that there is a row. */
async function* noticed<Row>(list: OpenList, rows: AsyncIterable<Row>): AsyncGenerator<Row> {
  for await (const row of rows) {
    list.hasAny = true
    yield row
  }
}

/** The rows that belong to the list, from whoever answers. */
function chosenOf(list: OpenList, wanted: Wanted): AsyncGenerator<Chosen> {
  const { archive, client, span, asked } = list
  if (archive === undefined) return fromService(client, asked ?? queryOf(list), wanted)
  const period = searchesAll(list) ? undefined : span
  return fromArchive(
    {
      archive,
      fromMs: period === undefined ? undefined : Date.parse(period.from),
      toMs: period?.to === undefined ? undefined : Date.parse(period.to),
      read: (deliveryId) => client.getDelivery({ deliveryId }),
    },
    wanted,
  )
}

/** All rows are in memory now: of many accounts, an open archive each would be held for nothing. */
function allHeld(list: OpenList, found: number): void {
  list.found = found
  if (list.session.output.isGathered && !readsMore(list.plan)) list.archive?.close()
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
    rowsOf({ deliveries }) {
      list.hasAny ||= deliveries.length > 0
      return deliveries
    },
    typed: session.words,
    times: { ...span },
    order: { flag: 'to', timeOf: ({ createdAt }) => createdAt, idOf: ({ deliveryId }) => deliveryId },
  })
}

function queryOf({ flags, span }: OpenList) {
  return flags.ref === undefined ? span : { clientOrderReference: flags.ref }
}

function shownAs(list: OpenList) {
  const { session, plan, shown } = list
  const { listing, change } = plan
  const parts = [
    ...(listing.problem ? ['problem'] : []),
    ...listing.parts,
    ...(change === undefined ? [] : ['obstacle']),
  ]
  return {
    view: deliveryListWith(parts, sentColumns),
    onRow: ({ status }: { status: string }) => void shown.set(status, (shown.get(status) ?? 0) + 1),
    lastLine: () => totalsText(shown, session.output.style),
    remark: (isEmpty: boolean) => periodRemark(list, isEmpty),
  }
}

/** Whether the whole archive is looked through: a search and a list of problems cost it no more than a day's. */
function searchesAll({ archive, plan: { listing }, flags }: OpenList): boolean {
  const looksEverywhere = listing.search !== undefined || (listing.problem && !listing.active)
  return archive !== undefined && looksEverywhere && flags.from === undefined && flags.to === undefined
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
