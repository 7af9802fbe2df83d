import type { Rows } from '../../bulk/index.js'
import { BaseCommand } from '../../cli/command/base-command.js'
import { refuseTestValuesOnProduction } from '../../cli/command/production-guard.js'
import { dryRunFlag } from '../../cli/command/write-flags.js'
import { certainRefusals, orderWarnings } from '../../cli/deliveries/preflight.js'
import { RowWarnings } from '../../cli/deliveries/rows/row-warnings.js'
import { fileReading, spreadsheetFlags } from '../../cli/orders/column-map.js'
import { fieldFlags, type OrderFlags, orderFlags, windowEnds } from '../../cli/orders/order-flags.js'
import { admitOrder, KeptValues, orderCompleter, readOrders } from '../../cli/orders/order-input.js'
import { quotedRows, type ToQuoteRequest } from '../../cli/orders/quote-rows.js'
import { withForms } from '../../cli/orders/us-forms.js'
import { exitCodes } from '../../cli/process/exit-codes.js'
import { createPacer } from '../../client/index.js'
import { DeliveryCreate, type InputOf, type QuoteResponse, UsageError, withoutMarks } from '../../contract/index.js'
import { noQuoteText, quotedRowsView, quotedSentence, quoteView } from '../../render/quote-view.js'

/** The fields of an order that a quote request does not have. */
const orderOnlyFields = ['quoteId', 'dispatch', 'handling', 'tipAmountCents', 'metadata']

const rootOf = (path: string): string => path.split('.')[0] ?? path

/** The flags of an order that do not apply to a quote. */
const flagsOutsideQuotes: readonly string[] = Object.entries(fieldFlags).flatMap(([flag, path]) =>
  orderOnlyFields.includes(rootOf(path)) ? [`--${flag}`] : [],
)

/**
 * The parts of an order that a quote has, so that the same file and flags serve both, and the names of the omitted
 * parts.
 */
function quotePartOf(
  order: Readonly<Record<string, unknown>>,
  flags: Partial<OrderFlags>,
): { quote: Record<string, unknown>; leftOut: string[] } {
  const quote = Object.fromEntries(Object.entries(order).filter(([name]) => !orderOnlyFields.includes(name)))
  const byFlag = Object.entries(fieldFlags).filter(([flag]) => flags[flag as keyof OrderFlags] !== undefined)
  const leftOut = orderOnlyFields
    .filter((name) => order[name] !== undefined)
    .flatMap((name) => {
      const given = byFlag.flatMap(([flag, path]) => (rootOf(path) === name ? [`--${flag}`] : []))
      return given.length === 0 ? [name] : given
    })
  return { quote, leftOut }
}

export default class CreateQuote extends BaseCommand {
  static override summary = 'Get prices without creating a delivery.'
  static override description =
    `Takes the flags and files of deliveries create; what is not part of a quote is left out, with a notice: ${flagsOutsideQuotes.join(', ')}, and quoteId and metadata of a file. If there is no quote, prints the reason and exits 0. A file with several orders is quoted row by row, the cheapest quote first; nothing is dispatched, and the exit code is 9 if some rows failed.`
  static override examples = [
    '<%= config.bin %> quotes create --file order.json',
    '<%= config.bin %> quotes create --file orders.csv',
    '<%= config.bin %> quotes create --store STORE-001 --to "200 Hay St, Fayetteville, NC 28301"',
    "<%= config.bin %> quotes create --file order.json --jq '.quotes | sort_by(.totalPriceCents) | first | .quoteId'",
  ]
  static override flags = { ...orderFlags, ...spreadsheetFlags, ...dryRunFlag }

  async run(): Promise<QuoteResponse | undefined> {
    const { flags } = await this.parse(CreateQuote)
    const nowMs = await this.session.nowMsForOrder(windowEnds(flags), flags['dry-run'])
    const settings = await this.session.account.settings()
    const reading = await fileReading(flags, DeliveryCreate, {
      context: this.session.context,
      notices: this.session.notices,
    })
    const file = await readOrders(this.session.context, flags, reading)
    const complete = orderCompleter(flags, nowMs)
    const completed = (value: unknown, kept?: KeptValues) => withForms(complete(value, kept), reading.forms)
    if (file.kind === 'run') {
      const leftOutOfAll = new Set<string>()
      const kept = new KeptValues('order', reading.forms?.clocks)
      const warnings = new RowWarnings(orderWarnings, this.session.notices)
      await this.quoteAll(
        file.rows,
        (value, row) => {
          const { quote, leftOut } = quotePartOf(withoutMarks(completed(value, kept)), flags)
          for (const part of leftOut) leftOutOfAll.add(part)
          refuseTestValuesOnProduction(settings, quote)
          const [refused] = certainRefusals(quote, { purpose: 'order' })
          if (refused !== undefined) throw new UsageError(`${refused.field}: ${refused.message}`)
          warnings.look(row, quote)
          return quote
        },
        flags,
      )
      warnings.end()
      this.sayLeftOut([...leftOutOfAll])
      if (kept.text !== '') this.session.notices.notice(`${kept.text}.`)
      return undefined
    }
    const order = withoutMarks(completed(file.order))
    const clocks = reading.forms?.clocks?.text ?? ''
    if (clocks !== '') this.session.notices.notice(`${clocks}.`)
    if (Object.keys(order).length === 0)
      throw new UsageError('No order given. It needs --store and --to.', {
        hint: 'Pass these flags, or --file order.json; dlv deliveries template prints an order to fill in.',
      })
    const { quote, leftOut } = quotePartOf(order, flags)
    this.sayLeftOut(leftOut)
    refuseTestValuesOnProduction(settings, quote)
    admitOrder(quote, this.session.notices, { purpose: 'order', nowMs: flags['dry-run'] ? nowMs : undefined })
    const input = { body: quote } as unknown as InputOf<'createQuote'>
    if (flags['dry-run']) return this.session.dryRun('createQuote', input)
    const client = await this.session.client()
    const quotes = await client.createQuote(input)
    const promises = await this.session.account.promises()
    promises.quoted(quotes.quotes)
    await this.session.show(quoteView, quotes)
    // JSON contains the reason.
    if (quotes.quotes.length === 0 && !this.session.output.isJson) await this.sayWhyNone(quotes)
    return quotes
  }

  private sayLeftOut(parts: readonly string[]): void {
    if (parts.length > 0) this.session.notices.notice(`Not part of a quote, left out: ${parts.join(', ')}.`)
  }

  /** Quotes many orders as they are read; 9 if some could not be quoted. */
  private async quoteAll(
    rows: Rows,
    toRequest: ToQuoteRequest,
    flags: { 'dry-run': boolean; ref?: string | undefined },
  ) {
    if (flags['dry-run'])
      throw new UsageError('--dry-run is for one order, but this file contains several.', {
        hint: 'dlv deliveries create --dry-run checks every row of a file.',
      })
    if (flags.ref !== undefined) throw new UsageError('--ref is for one order, but this file contains several.')
    this.session.output.checkColumns(quotedRowsView)
    const client = await this.session.client({ pacer: createPacer() })
    const counts = { quoted: 0, none: 0, failed: 0 }
    const sums = new Map<string, number>()
    const pages = async function* () {
      for await (const page of quotedRows(rows, toRequest, client)) {
        for (const { outcome, quotes } of page) {
          counts[outcome]++
          const [best] = quotes
          const currency = best?.currency ?? 'USD'
          if (best !== undefined) sums.set(currency, (sums.get(currency) ?? 0) + best.totalPriceCents)
        }
        yield page
      }
    }
    await this.session.output.pages(quotedRowsView, pages())
    this.session.notices.notice(quotedSentence(counts, sums))
    if (counts.failed > 0) this.session.endWith(exitCodes.otherOutcome)
  }

  /** A person has read the reason on stdout; in a pipe, a table without rows would say nothing. */
  private async sayWhyNone(quotes: QuoteResponse): Promise<void> {
    if (!this.session.output.forPeople) this.session.notices.notice(noQuoteText(quotes))
    const { explain } = await import('../../cli/explanations/index.js')
    const [explanation] = explain(quotes.noQuoteReason ?? '')
    if (explanation !== undefined)
      this.session.notices.notice(`${explanation.meaning} More: dlv explain ${explanation.code}`)
  }
}
