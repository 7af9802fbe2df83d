import { type CallOptions, type Client, cheapestQuote } from '../../client/index.js'
import {
  ApiError,
  type Delivery,
  DlvError,
  type InputOf,
  type Quote,
  QuoteRefusedError,
  UsageError,
} from '../../contract/index.js'
import { plainText, plainValue } from '../../render/plain-text.js'
import { quoteText } from '../../render/quote-view.js'
import { orderWindowText } from '../../render/sent-order.js'
import type { Style } from '../../render/style.js'
import { valueAt } from '../../render/view.js'
import { addressText, moneyText } from '../../render/words.js'
import { amountText } from '../../shared/texts.js'
import { MoneySum, type RowEffects } from '../bulk/row-effects.js'
import { isAboutRow } from './judge-order.js'

type Order = InputOf<'createDelivery'>['body']

/** The best quote of an order, or why there is none. */
export type Quoted = { quote: Quote } | { unquoted: string; isForAll?: boolean }

/** The best quote of an order; a failure is a reason like others, because the quote is only good to know. */
export async function bestQuote(
  client: Pick<Client, 'createQuote'>,
  order: Order,
  options?: CallOptions,
): Promise<Quoted> {
  try {
    return { quote: await cheapestQuote(client, order, {}, options) }
  } catch (error) {
    if (error instanceof QuoteRefusedError) return { unquoted: error.reason ?? 'the service gives no reason' }
    if (!(error instanceof DlvError)) throw error
    if (error instanceof UsageError) return { unquoted: error.message }
    if (!(error instanceof ApiError)) return { unquoted: error.message, isForAll: true }
    if (error.code === 'QUOTES_NOT_SUPPORTED') return { unquoted: 'this account has no quotes', isForAll: true }
    return { unquoted: error.code, isForAll: !isAboutRow(error) }
  }
}

/**
 * The order in the question before it is dispatched: `200 Hay St, Fayetteville, NC 28301; best quote $10.14 by
 * Swift Couriers, dropoff in 40m; tip $4.00; $14.14 in all`. A scheduled order has its window instead of an ETA; without
 * `quoted`, nobody has asked for a quote.
 */
export function orderCostText(
  order: Readonly<Record<string, unknown>>,
  quoted: Quoted | undefined,
  style: Style,
): string {
  const where = parts(
    addressText(valueAt(order, 'dropoff.address')),
    installationText(valueAt(order, 'dropoff.installation')),
    orderWindowText(order.timeWindows, style),
  )
  const tip = tipOf(order)
  const tipText = tip > 0 ? `tip ${moneyText(tip)}` : ''
  if (quoted === undefined)
    return parts(where, order.quoteId === undefined ? '' : `quote ${plainText(String(order.quoteId))}`, tipText)
  if ('unquoted' in quoted) return parts(where, `not quoted (${plainText(quoted.unquoted)})`, tipText)
  const { totalPriceCents, currency } = quoted.quote
  const quotedTip = tip > 0 ? `tip ${moneyText(tip, currency)}` : ''
  const sum = tip > 0 ? `${moneyText(totalPriceCents + tip, currency)} in all` : ''
  const hasWindow = orderWindowText(order.timeWindows, style) !== ''
  const quote = hasWindow ? { ...quoted.quote, dropoffEta: null } : quoted.quote
  return parts(where, `best quote ${quoteText(quote, style)}`, quotedTip, sum)
}

/** `FTBRAGG, gate All American`. */
function installationText(installation: unknown): string {
  const code = plainValue(valueAt(installation, 'code'))
  const gate = plainValue(valueAt(installation, 'gate'))
  return [code, gate === '' ? '' : `gate ${gate}`].filter(Boolean).join(', ')
}

function parts(...texts: string[]): string {
  return texts.filter(Boolean).join('; ')
}

/** Refuses an order with a quote of its own where its cost is counted: what that one costs cannot be read. */
export function refuseQuoted({ quoteId }: Readonly<Record<string, unknown>>): void {
  if (quoteId == null) return
  throw new UsageError(`--max-total cannot count an order with the quoteId "${plainValue(quoteId)}".`, {
    hint: 'Without quoteId it is counted by its best quote of now.',
  })
}

/** @throws QuoteRefusedError if the best quote and the tip exceed the limit, or the order has no quote */
export function assertTotal(order: unknown, quoted: Quoted, maxTotalCents: number): void {
  if ('unquoted' in quoted) throw unquotedError(`This order is not quoted (${quoted.unquoted})`)
  const total = quoted.quote.totalPriceCents + tipOf(order)
  if (total > maxTotalCents)
    throw totalError(`Quote and tip cost ${moneyText(total, quoted.quote.currency)}`, maxTotalCents)
}

function unquotedError(what: string): QuoteRefusedError {
  const hint =
    'Nothing was dispatched. Repair or remove what is not quoted, or order without --max-total if its price may be unknown.'
  return new QuoteRefusedError('NO_QUOTE', `${what}, so --max-total cannot be checked.`, hint)
}

function totalError(what: string, maxTotalCents: number): QuoteRefusedError {
  const message = `${what}, above the maximum of $${amountText(maxTotalCents)}.`
  return new QuoteRefusedError('TOTAL_ABOVE_MAXIMUM', message, 'Nothing was dispatched. --max-total allows more.')
}

function tipOf(order: unknown): number {
  const tip = valueAt(order, 'tipAmountCents')
  return typeof tip === 'number' ? tip : 0
}

/** The number of quotes that are taken at a time. */
const quotesAtOnce = 16

/** The number of orders without a quote that are named. */
const mostNamed = 5

/** Which orders of a run are quoted. */
interface Quoting {
  client: Pick<Client, 'createQuote'>
  /** The number of orders that are quoted; the tips of all are summed. */
  most: number
}

/** Sums the best quotes and the tips of many orders; without `quoting`, the tips. */
export class OrderCosts implements RowEffects<Order> {
  private readonly quotes = new MoneySum()
  private tipCents = 0
  private quoted = 0
  private unquoted = 0
  private orders = 0
  /** The first orders without a quote, with the reason. */
  private readonly named: string[] = []
  private readonly reasons = new Set<string>()
  /** A reason that holds for every order, such as an account without quotes. */
  private reasonForAll: string | undefined

  constructor(
    private readonly quoting?: Quoting,
    private readonly maxTotalCents?: number,
  ) {}

  async read(orders: readonly Order[]): Promise<undefined> {
    for (const order of orders) {
      this.orders++
      this.tipCents += tipOf(order)
    }
    const { client, most = 0 } = this.quoting ?? {}
    for (let at = 0; client !== undefined && at < orders.length; at += quotesAtOnce) {
      const left = Math.min(quotesAtOnce, most - this.quoted - this.unquoted)
      if (left <= 0 || this.reasonForAll !== undefined) return undefined
      const taken = orders.slice(at, at + left)
      const quotes = await Promise.all(taken.map((order) => bestQuote(client, order)))
      for (const [index, one] of quotes.entries()) this.add(one, taken[index])
    }
    return undefined
  }

  private add(one: Quoted, order: unknown): void {
    if ('quote' in one) {
      this.quoted++
      this.quotes.add(one.quote.totalPriceCents, one.quote.currency)
      return
    }
    this.unquoted++
    if (this.named.length < mostNamed)
      this.named.push(`${plainText(String(valueAt(order, 'clientOrderReference')))}: ${plainText(one.unquoted)}`)
    this.reasons.add(plainText(one.unquoted))
    if (one.isForAll) this.reasonForAll ??= plainText(one.unquoted)
  }

  /** The tips of all orders, in the currency of the quotes: an order does not name one. */
  private get tips(): MoneySum {
    const tips = new MoneySum()
    if (this.tipCents > 0) tips.add(this.tipCents, this.quotes.currency)
    return tips
  }

  /** `quotes $2,104.50, tips $310.00, $2,414.50 in all`. */
  get text(): string {
    if (this.orders === 0) return ''
    const tips = this.tips.total > 0 ? `tips ${this.tips.text}` : ''
    const reasons = this.reasonForAll ?? [...this.reasons].slice(0, mostNamed).join(', ')
    const why = reasons === '' ? '' : ` (${reasons})`
    if (this.quoted === 0) return [`not quoted${why}`, tips].filter(Boolean).join(', ')
    const isAll = this.quoted === this.orders
    const left = this.orders - this.quoted
    const quotes = isAll ? `quotes ${this.quotes.text}` : `${this.quoted} quoted at ${this.quotes.text}`
    const all = `${this.quotes.plus(this.tips).text} in all`
    const sum = isAll ? (tips === '' ? '' : all) : `at least ${all}`
    return [quotes, isAll ? '' : `${left} not quoted${why}`, tips, sum].filter(Boolean).join(', ')
  }

  /** Why the run must not begin, if its total has a limit. */
  refusal(): QuoteRefusedError | undefined {
    const { orders, quoted } = this
    const maxTotalCents = this.maxTotalCents
    if (maxTotalCents === undefined) return undefined
    if (quoted < orders) {
      const more = orders - quoted > this.named.length ? '; …' : ''
      const which = this.reasonForAll ?? `${this.named.join('; ')}${more}`
      return unquotedError(`${orders - quoted} of ${orders} orders are not quoted (${which})`)
    }
    const total = this.quotes.plus(this.tips)
    return total.total > maxTotalCents ? totalError(`Quotes and tips cost ${total.text}`, maxTotalCents) : undefined
  }
}

/** The cost of the deliveries that a run has created. */
export class CreatedCosts {
  private readonly prices = new MoneySum()
  private readonly tips = new MoneySum()

  add({ pricing }: Delivery): void {
    const { totalPriceCents, tipAmountCents: tip, deliveryFeeCents, currency } = pricing ?? {}
    const fee = deliveryFeeCents ?? (totalPriceCents == null ? undefined : totalPriceCents - (tip ?? 0))
    if (fee != null) this.prices.add(fee, currency)
    if (tip != null && tip > 0) this.tips.add(tip, currency)
  }

  /** ` for $2,104.50 without tips, tips $310.00`; empty if the service shows no prices. */
  get text(): string {
    if (this.prices.isEmpty) return ''
    return this.tips.isEmpty
      ? ` for ${this.prices.text}`
      : ` for ${this.prices.text} without tips, tips ${this.tips.text}`
  }
}

/** An order as far as it is known by its reference. */
interface Referenced {
  clientOrderReference?: string | null | undefined
}

/** Counts the orders of a file whose references were sent from here before, beside their costs. */
export class SentBefore<Order extends Referenced> implements RowEffects<Order> {
  #count = 0
  #first: string | undefined

  /**
   * @param costs what the orders cost
   * @param wasSent whether an order with a reference was sent
   */
  constructor(
    private readonly costs: RowEffects<Order>,
    private readonly wasSent: (reference: string) => boolean,
  ) {}

  read(orders: readonly Order[]): ReturnType<RowEffects<Order>['read']> {
    for (const { clientOrderReference: reference } of orders) {
      if (typeof reference !== 'string' || !this.wasSent(reference)) continue
      this.#count++
      this.#first ??= reference
    }
    return this.costs.read(orders)
  }

  get text(): string {
    if (this.#count === 0) return this.costs.text
    const which =
      this.#count === 1
        ? `the reference ${plainText(this.#first ?? '')} was`
        : `${this.#count.toLocaleString('en-US')} references, such as ${plainText(this.#first ?? '')}, were`
    return [this.costs.text, `${which} sent from here before, and the same order is not sent twice`]
      .filter(Boolean)
      .join('; ')
  }

  refusal(): ReturnType<NonNullable<RowEffects<Order>['refusal']>> {
    return this.costs.refusal?.()
  }
}
