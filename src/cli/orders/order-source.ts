import type { Client } from '../../client/index.js'
import { extra, UsageError } from '../../contract/index.js'
import { plainText } from '../../render/plain-text.js'
import { valueAt } from '../../render/view.js'
import type { OrderTexts } from '../../sent/index.js'
import { dayMs } from '../../shared/durations.js'
import { recordAt } from '../../shared/json.js'
import { isMissing } from '../input/assignments.js'
import { canAsk } from '../process/terminal.js'
import type { Session } from '../session/session.js'
import { completedOrder, orderAssignments } from './complete-order.js'
import { type FileReading, type OrderFile, readOrders } from './order-file.js'
import { fieldFlags, type OrderFlags } from './order-flags.js'
import { leavingPlace, orderLike } from './order-like.js'
import { askParts, type NeededFlag, neededFlags } from './order-questions.js'

/** The sources of an order. */
interface OrderSource {
  session: Session
  flags: Partial<OrderFlags> & { from?: string | undefined; map?: string[] | undefined; 'dry-run': boolean }
  /** How `--file` is read. */
  reading: FileReading
  nowMs: number
}

/** An order or several, and what completes them. */
interface OrdersToCreate {
  file: OrderFile
  /** The order flags, and what was answered in their place. */
  flags: OrderSource['flags']
  /** Whether a person was asked, who has to see the price and confirm. */
  isAsked: boolean
}

/**
 * The orders of `--file`, an order like the delivery of `--from`, or one that is made of flags. What the flags lack is
 * asked for on a terminal.
 *
 * @throws UsageError if nothing was given and there is no terminal to ask on
 */
export async function ordersToCreate(source: OrderSource): Promise<OrdersToCreate> {
  const { session, flags, reading, nowMs } = source
  const { context, notices } = session
  if (flags.from !== undefined)
    return { file: { kind: 'single', order: await orderFrom(source, flags.from) }, flags, isAsked: false }
  if (flags.file !== undefined)
    return { file: await readOrders(context, { file: flags.file }, reading), flags, isAsked: false }
  if (reading.columns !== undefined) throw new UsageError('--map is for the columns of a CSV: add --file FILE.')
  if (reading.encoding !== undefined) throw new UsageError('--encoding is for the text of a file: add --file FILE.')
  const given = completedOrder({}, { assignments: orderAssignments(flags, nowMs) })
  const missing = neededFlags.filter((flag) => isMissing(valueAt(given, fieldFlags[flag])))
  const nothing: OrdersToCreate = { file: { kind: 'single', order: {} }, flags, isAsked: false }
  if (missing.length === 0) return nothing
  if (!canAsk(context, session.flags['no-input'])) {
    if (Object.keys(given).length > 0) return nothing
    throw new UsageError(`No order given. It needs ${listed(neededFlags.map((flag) => `--${flag}`))}.`, {
      hint: 'Pass these flags, or --file order.json; dlv deliveries template prints an order to fill in.',
    })
  }
  const answers = await askParts(context, notices, missing, await proposals(source, missing), reading.forms)
  return { ...nothing, flags: { ...flags, ...answers }, isAsked: true }
}

function listed(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}

async function proposals(
  { session, nowMs }: OrderSource,
  missing: readonly NeededFlag[],
): Promise<{ ref: string; store: string | undefined }> {
  const store = missing.includes('store') ? await lastStore(await session.client(), nowMs) : undefined
  return { ref: proposedReference(nowMs), store }
}

/** The store of the newest delivery; a proposal only, so that no failure and no slow service matters. */
async function lastStore(client: Client, nowMs: number): Promise<string | undefined> {
  const patience = { timeoutMs: 1_500, retries: { maxRetries: 0 } }
  const from = new Date(nowMs - 30 * dayMs).toISOString()
  try {
    const { deliveries } = await client.listDeliveries({ query: { from, limit: 1 } }, patience)
    const [newest] = deliveries
    if (newest === undefined) return undefined
    const { pickup } = await client.getDelivery({ deliveryId: newest.deliveryId }, patience)
    return pickup?.storeReference ?? undefined
  } catch {
    return undefined
  }
}

/** The parts of an order with the words that are kept apart from them. */
function withTexts(
  sent: Readonly<Record<string, unknown>> | undefined,
  { metadata, ...ofPackage }: OrderTexts,
): Readonly<Record<string, unknown>> | undefined {
  if (sent === undefined) return undefined
  const cargo = { ...recordAt(sent, 'package'), ...ofPackage }
  return {
    ...sent,
    ...(Object.keys(cargo).length === 0 ? {} : { package: cargo }),
    ...(metadata === undefined ? {} : { metadata }),
  }
}

async function orderFrom(source: OrderSource, name: string): Promise<Record<string, unknown>> {
  const { session, flags, nowMs } = source
  const { notices } = session
  const client = await session.client()
  const { deliveryId } = await session.named(name, undefined, { forWrite: true, isSaid: flags['dry-run'] })
  const delivery = await client.getDelivery({ deliveryId })
  const ledger = await session.account.ledger()
  ledger.flush()
  const sent = withTexts(
    ledger.sentParts(delivery),
    await session.account.sentTexts(delivery.clientOrderReference ?? ''),
  )
  const { timeWindows = sent?.timeWindows } = extra(delivery)
  const atMs = (await session.windowsNowMs({ timeWindows })) ?? nowMs
  const like = orderLike(delivery, { reference: flags.ref, sent, nowMs: atMs })
  const { unknown, isWindowOver } = like
  const given = completedOrder({}, { assignments: orderAssignments(flags, nowMs) })
  const { order, left } = leavingPlace(like.order, given)
  const reference = plainText(String(order.clientOrderReference))
  notices.notice(`Like ${plainText(delivery.clientOrderReference ?? deliveryId)}, with the reference ${reference}.`)
  if (unknown.length > 0)
    notices.notice(`The service does not show these of a delivery; they are not copied: ${unknown.join(', ')}.`)
  // A text may name a person or a thing: it is kept apart, and may have been removed.
  const texts = ledger
    .hashedTexts(delivery)
    .filter((name) => valueAt(given, name) === undefined && valueAt(order, name) === undefined)
  if (texts.length > 0)
    notices.warn(
      `These texts of the order are not kept any more, so they are not copied: ${texts.join(', ')}. --set ${texts[0]}=… sets one again.`,
    )
  if (isWindowOver && flags.window === undefined && flags['pickup-window'] === undefined)
    notices.warn('Its window is over and not copied: without --window the new order is dispatched at once.')
  if (left.length > 0)
    notices.notice(`The address is another, so these are not copied: ${left.join(', ')}. Their flags set them again.`)
  if (left.length > 0 && valueAt(order, 'dropoff.instructions') !== undefined && flags.instructions === undefined)
    notices.warn('Its instructions are copied to the new address; --instructions gives others.')
  return order
}

/** A reference that no order has yet: `ORDER-20260302-150405`, by the time in UTC. */
function proposedReference(nowMs: number): string {
  const [day = '', time = ''] = new Date(nowMs).toISOString().slice(0, 19).replace(/[-:]/g, '').split('T')
  return `ORDER-${day}-${time}`
}
