import { BaseCommand } from '../../cli/command/base-command.js'
import { dryRunFlag } from '../../cli/command/write-flags.js'
import { orderFlags } from '../../cli/orders/order-flags.js'
import { flagsOutsideQuotes, planQuotes, quoteMany, quoteOne } from '../../cli/orders/quote.js'
import { spreadsheetFlags } from '../../cli/orders/sheets/column-map.js'
import { DeliveryCreate, type QuoteResponse } from '../../contract/index.js'

export default class CreateQuote extends BaseCommand {
  static override readsSeveral = true
  static override summary = 'Get prices without creating a delivery.'
  static override description =
    `Takes the flags and files of deliveries create; what is not part of a quote is left out, with a notice: ${flagsOutsideQuotes.join(', ')}, and quoteId and metadata of a file. If there is no quote, prints the reason and exits 0. A file with several orders is quoted row by row, the cheapest quote first, by the account that its column profile names; nothing is dispatched, and the exit code is 9 if some rows failed.`
  static override examples = [
    '<%= config.bin %> quotes create --file order.json',
    '<%= config.bin %> quotes create --file orders.csv',
    '<%= config.bin %> quotes create --store STORE-001 --to "200 Hay St, Fayetteville, NC 28301"',
    "<%= config.bin %> quotes create --file order.json --jq '.quotes | sort_by(.totalPriceCents) | first | .quoteId'",
  ]
  static override flags = { ...orderFlags, ...spreadsheetFlags, ...dryRunFlag }

  async run(): Promise<QuoteResponse | undefined> {
    const { flags } = await this.parse(CreateQuote)
    if (flags.file !== undefined) {
      const { runByAccounts } = await import('../../cli/orders/sheets/by-account.js')
      if (await runByAccounts(this.session, { file: flags.file, schema: DeliveryCreate, flags, isReading: true }))
        return undefined
    }
    const { file, plan } = await planQuotes(this.session, flags)
    if (file.kind === 'run') return quoteMany(this.session, file.rows, plan, flags)
    return quoteOne(this.session, file.order, plan, flags)
  }
}
