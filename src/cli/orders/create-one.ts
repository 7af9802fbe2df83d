import {
  type Client,
  type CreatedOnce,
  cheapestQuote,
  idempotencyKeyOf,
  newIdempotencyKey,
  type QuoteChoice,
} from '../../client/index.js'
import { briefly, hashOf } from '../../client/internal.js'
import { type Delivery, type InputOf, type Quote, withoutMarks } from '../../contract/index.js'
import { deliveryView, sinceText } from '../../render/delivery-view.js'
import { plainValue } from '../../render/plain-text.js'
import { quoteText } from '../../render/quote-view.js'
import { valueAt } from '../../render/view.js'
import { sendRecorded } from '../../sent/index.js'
import { canonicalJson } from '../../shared/canonical-json.js'
import { shellWord } from '../../shared/command-words.js'
import { showOutcome } from '../deliveries/watch-delivery.js'
import { InstallationNames } from '../installations/order-names.js'
import type { Session } from '../session/session.js'
import { completedOrder } from './complete-order.js'
import { type CreationFlags, type CreationPlan, refuseResults } from './create-plan.js'
import { admitOrder, sayClocks, sayWarnings, withMissingFlags } from './judge-order.js'
import { assertTotal, bestQuote, orderCostText, type Quoted, refuseQuoted } from './order-cost.js'
import { windowClocks } from './window-clocks.js'

type Order = InputOf<'createDelivery'>['body']

/** An order that is complete, and the key that identifies it. */
interface KeyedOrder {
  order: Record<string, unknown>
  canonical: string
  bodyHash: string
  idempotencyKey: string
}

/**
 * Creates one delivery. The order is completed, gets its key and, if one is wanted, its quote; a person is asked where it
 * costs money; what is sent is on disk before the request. A repetition finds the delivery and dispatches nothing.
 */
export async function createOne(
  session: Session,
  given: unknown,
  plan: CreationPlan,
  flags: CreationFlags,
): Promise<Delivery | undefined> {
  refuseResults(flags)
  const keyed = keyOrder(await admittedOrder(session, given, plan, flags), flags)
  const quoted = await quoteOrder(session, keyed.order, plan)
  // The order is bound to the quote that was chosen, shown or counted.
  const quote = quoted !== undefined && 'quote' in quoted ? quoted.quote : undefined
  const body = (quote === undefined ? keyed.order : { ...keyed.order, quoteId: quote.quoteId }) as unknown as Order
  if (flags['dry-run']) return session.dryRun('createDelivery', { body, idempotencyKey: keyed.idempotencyKey })
  if (!(await askToDispatch(session, keyed.order, quoted, plan, flags))) return undefined
  const delivery = await sendOnce(session, body, keyed, quote, flags)
  return showDelivery(session, delivery, plan)
}

/** The order as it will be sent. Throws `UsageError` for what would be refused. */
async function admittedOrder(session: Session, given: unknown, plan: CreationPlan, flags: CreationFlags) {
  const { completion, maxTipCents } = plan
  const order = withoutMarks(completedOrder(given, completion))
  sayClocks(completion.forms, session.notices)
  const { clientOrderReference } = order
  session.isAbout({ clientOrderReference, code: valueAt(order, 'dropoff.installation.code') })
  const judge = { notices: session.notices, names: new InstallationNames(session) }
  await admitOrder(order, judge, {
    purpose: 'order',
    maxTipCents,
    nowMs: flags['dry-run'] ? await session.windowsNowMs(order) : undefined,
  })
  const clocks = await windowClocks(flags, '--us-times store')
  sayWarnings(clocks(order), session.notices)
  session.output.checkColumns(deliveryView)
  return order
}

/** The quote is not part of what identifies the order: the same command again may get another one. */
function keyOrder(order: Record<string, unknown>, flags: CreationFlags): KeyedOrder {
  const canonical = canonicalJson(order)
  const bodyHash = hashOf(canonical)
  const derived = () => (flags['new-key'] ? newIdempotencyKey() : idempotencyKeyOf({ order, bodyHash }))
  return { order, canonical, bodyHash, idempotencyKey: flags['idempotency-key'] ?? derived() }
}

/**
 * The quote that the order will be sent with: for `--cheapest`, for `--max-total`, and after questions.
 *
 * @throws QuoteRefusedError above the limit
 * @throws UsageError for a limit on an order that has a quote already: what that one costs cannot be read
 */
async function quoteOrder(
  session: Session,
  order: Record<string, unknown>,
  { choice, maxTotalCents, isAsked }: CreationPlan,
): Promise<Quoted | undefined> {
  const body = order as unknown as Order
  const isWanted = maxTotalCents !== undefined || (isAsked && order.quoteId === undefined)
  if (choice === undefined && !isWanted) return undefined
  if (choice === undefined) refuseQuoted(order)
  const quoted =
    choice === undefined
      ? await bestQuote(await session.client(), body)
      : { quote: await chooseQuote(session, body, choice) }
  if (maxTotalCents !== undefined) assertTotal(order, quoted, maxTotalCents)
  return quoted
}

/** The cheapest quote, which is shown. */
async function chooseQuote(session: Session, order: Order, choice: QuoteChoice): Promise<Quote> {
  const quote = await cheapestQuote(await session.client(), order, choice)
  const style = await session.output.serviceStyleNow({ always: true })
  session.notices.notice(`Cheapest quote: ${quoteText(quote, style)}.`)
  return quote
}

/** Asks where the order costs money. Its price is requested only if the question can be asked. */
function askToDispatch(
  session: Session,
  order: Record<string, unknown>,
  quoted: Quoted | undefined,
  { isAsked }: CreationPlan,
  { yes }: CreationFlags,
): Promise<boolean> {
  const costText = async (mayAsk: boolean) => {
    const isUnknown = quoted === undefined && mayAsk && order.quoteId === undefined
    const known = isUnknown ? await bestQuote(await session.client(), order as unknown as Order, briefly) : quoted
    const { output } = session
    const style = known === undefined ? output.styleNow() : await output.serviceStyleNow({ always: true })
    return orderCostText(order, known, style)
  }
  const question = `Dispatch ${plainValue(order.clientOrderReference) || 'this order'}`
  return session.account.confirmOnProduction(question, yes, costText, isAsked)
}

/** Records the order and creates its delivery, once. */
async function sendOnce(
  session: Session,
  order: Order,
  { canonical, bodyHash, idempotencyKey }: KeyedOrder,
  quote: Quote | undefined,
  flags: CreationFlags,
): Promise<Delivery> {
  const client = await session.client()
  const ledger = await session.account.ledger()
  const known = quote === undefined ? { canonical } : { isQuoted: true }
  const identified = { order, idempotencyKey, bodyHash, ...known }
  const create = () =>
    sendRecorded(client, identified, ledger, { source: flags.file, quote }).catch((error) => {
      throw withMissingFlags(error, order)
    })
  const { clientOrderReference: reference } = order
  const hasReference = typeof reference === 'string' && reference !== ''
  const created = await session.sendWrite(create, {
    look: hasReference ? `dlv deliveries get --ref ${shellWord(reference)}` : 'dlv deliveries list --from 1h',
    again: flags['new-key'] ? `Repeat it with --idempotency-key ${idempotencyKey}, not with --new-key.` : undefined,
  })
  return asItIsNow(session, created, client)
}

const notDispatched = {
  existing: 'This order already exists; nothing was dispatched.',
  replayed: 'Already created by an earlier run of this command; nothing was dispatched.',
} as const

/** The delivery of an order; if it was there before, as it is now, which is said too. */
async function asItIsNow(session: Session, { delivery, outcome }: CreatedOnce, client: Client): Promise<Delivery> {
  if (outcome === 'created') return delivery
  // The answer to a repeated request is the one from when it was created.
  const { deliveryId } = delivery
  const now = outcome === 'replayed' ? await client.getDelivery({ deliveryId }).catch(() => delivery) : delivery
  const nowMs = client.serviceNowMs() ?? session.nowMs()
  session.notices.notice(`${notDispatched[outcome]} ${sinceText(now, { ...session.output.styleNow(), nowMs })}`)
  return now
}

/** Shows the delivery, at once or as it is when it has the status that is waited for. */
async function showDelivery(session: Session, delivery: Delivery, { until }: CreationPlan): Promise<Delivery> {
  if (until !== undefined) return showOutcome(session, delivery, until)
  await session.show(deliveryView, delivery)
  return delivery
}
