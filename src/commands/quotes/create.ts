import { ApiCommand } from '../../cli/command/api-command.js'
import { refuseTestValuesOnProduction } from '../../cli/command/production-guard.js'
import { dryRunFlag } from '../../cli/command/write-flags.js'
import { admitOrder, completeOrder, readSingleOrder } from '../../cli/deliveries/complete-order.js'
import { orderFlags } from '../../cli/deliveries/order-flags.js'
import type { InputOf, QuoteResponse } from '../../contract/index.js'
import { quoteView } from '../../render/quote-view.js'

export default class CreateQuote extends ApiCommand {
  static override summary = 'Get prices without creating a delivery.'
  static override description = 'If there is no quote, prints the reason and exits 0.'
  static override examples = [
    '<%= config.bin %> quotes create --file order.json',
    '<%= config.bin %> quotes create --store STORE-001 --to "200 Hay St, Fayetteville, NC 28301"',
    "<%= config.bin %> quotes create --file order.json --jq '.quotes | sort_by(.totalPriceCents) | first | .quoteId'",
  ]
  static override flags = { ...orderFlags, ...dryRunFlag }

  async run(): Promise<QuoteResponse | undefined> {
    const { flags } = await this.parse(CreateQuote)
    const nowMs = this.nowMs()
    const settings = await this.settings()
    const order = quotable(completeOrder(await readSingleOrder(this.context, flags), flags, nowMs))
    refuseTestValuesOnProduction(settings, order)
    admitOrder(order, this.notices, nowMs)
    const input = { body: order } as InputOf<'createQuote'>
    if (flags['dry-run']) return this.dryRun('createQuote', input)
    const client = await this.api()
    const quotes = await client.createQuote(input)
    await this.show(quoteView, quotes)
    return quotes
  }
}

/** The parts of an order that a quote takes, so that the same file serves both. */
function quotable(order: Record<string, unknown>): Record<string, unknown> {
  const {
    quoteId: _quote,
    dispatch: _dispatch,
    handling: _handling,
    tipAmountCents: _tip,
    metadata: _metadata,
    ...quote
  } = order
  return quote
}
