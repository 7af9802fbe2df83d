import { ApiCommand } from '../../cli/command/api-command.js'
import { refuseTestValuesOnProduction } from '../../cli/command/production-guard.js'
import { dryRunFlag } from '../../cli/command/write-flags.js'
import { admitOrder, completeOrder, readSingleOrder } from '../../cli/deliveries/complete-order.js'
import { orderFlags } from '../../cli/deliveries/order-flags.js'
import { flagsOutsideQuotes, quotePartOf } from '../../cli/deliveries/quotable.js'
import { QuotePromises } from '../../cli/report/quote-promises.js'
import type { InputOf, QuoteResponse } from '../../contract/index.js'
import { noQuoteText, quoteView } from '../../render/quote-view.js'

export default class CreateQuote extends ApiCommand {
  static override summary = 'Get prices without creating a delivery.'
  static override description =
    `Takes the flags and files of deliveries create; what is not part of a quote is left out, with a notice: ${flagsOutsideQuotes.join(', ')}, and quoteId and metadata of a file. If there is no quote, prints the reason and exits 0.`
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
    const whole = completeOrder(await readSingleOrder(this.context, flags), flags, nowMs)
    const { quote, leftOut } = quotePartOf(whole, flags)
    if (leftOut.length > 0) this.notices.notice(`Not part of a quote, left out: ${leftOut.join(', ')}.`)
    refuseTestValuesOnProduction(settings, quote)
    admitOrder(quote, this.notices, nowMs)
    const input = { body: quote } as InputOf<'createQuote'>
    if (flags['dry-run']) return this.dryRun('createQuote', input)
    const client = await this.api()
    const quotes = await client.createQuote(input)
    new QuotePromises(this.config.dataDir, settings.profile, this.context.nowMs).quoted(quotes.quotes)
    await this.show(quoteView, quotes)
    // JSON contains the reason.
    if (quotes.quotes.length === 0 && !this.output.isJson) await this.sayWhyNone(quotes)
    return quotes
  }

  /** A person has read the reason on stdout; in a pipe, a table without rows would say nothing. */
  private async sayWhyNone(quotes: QuoteResponse): Promise<void> {
    if (!this.output.forPeople) this.notices.notice(noQuoteText(quotes))
    const { explain } = await import('../../cli/explanations/index.js')
    const [explanation] = explain(quotes.noQuoteReason ?? '')
    if (explanation !== undefined) this.notices.notice(`${explanation.meaning} More: dlv explain ${explanation.code}`)
  }
}
