import { extra, type InputOf, type Quote, QuoteRefusedError, UsageError } from '../contract/index.js'
import { amountText } from '../shared/texts.js'
import { assertKnownOptions, assertLimits } from '../shared/word-match.js'
import type { Client } from './client.js'
import type { CallOptions } from './options.js'

type Order = InputOf<'createDelivery'>['body']

/** The criteria for choosing a quote. */
export interface QuoteChoice {
  /** The highest price of the quote, in cents; the tip is not part of it. */
  maxPriceCents?: number | undefined
}

/** The fields of an order that a quote request has. */
const quotedFields = ['clientOrderReference', 'pickup', 'dropoff', 'timeWindows', 'package', 'verification'] as const

/**
 * The cheapest quote for an order.
 *
 * @throws UsageError for a limit that is not a number; QuoteRefusedError if there is no quote, or it costs more than the
 *   limit
 */
export async function cheapestQuote(
  client: Pick<Client, 'createQuote'>,
  order: Order,
  choice: QuoteChoice = {},
  options?: CallOptions,
): Promise<Quote> {
  if (typeof choice !== 'object' || choice === null)
    throw new UsageError(`The third argument of cheapestQuote is { maxPriceCents }, not ${JSON.stringify(choice)}`, {
      hint: 'Write the limit as { maxPriceCents: 1500 }.',
    })
  assertKnownOptions('The third argument of cheapestQuote', choice, { maxPriceCents: 0 })
  const { maxPriceCents } = choice
  assertLimits({ maxPriceCents })
  const asked = extra(order)
  const body = Object.fromEntries(
    quotedFields.filter((name) => asked[name] !== undefined).map((name) => [name, asked[name]]),
  )
  const { quotes, noQuoteReason } = await client.createQuote({ body } as unknown as InputOf<'createQuote'>, options)
  const cheapest = quotes.reduce<Quote | undefined>(
    (best, quote) => (best === undefined || quote.totalPriceCents < best.totalPriceCents ? quote : best),
    undefined,
  )
  if (cheapest === undefined)
    throw new QuoteRefusedError(
      'NO_QUOTE',
      `There is no quote for this order: ${noQuoteReason ?? 'the service gives no reason'}.`,
      'Nothing was dispatched.',
      noQuoteReason ?? undefined,
    )
  if (maxPriceCents !== undefined && cheapest.totalPriceCents > maxPriceCents) {
    const [price, most] = [cheapest.totalPriceCents, maxPriceCents].map(amountText)
    const currency = cheapest.currency ?? 'USD'
    throw new QuoteRefusedError(
      'PRICE_ABOVE_MAXIMUM',
      `The cheapest quote is ${price} ${currency}, above the maximum of ${most}.`,
      'Nothing was dispatched.',
    )
  }
  return cheapest
}
