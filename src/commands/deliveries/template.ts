import { Flags } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.js'
import { flatFields, templateFor, type templateOrder } from '../../cli/orders/template-order.js'
import { csvLine, headerLine } from '../../render/csv.js'

export default class OrderTemplate extends BaseCommand {
  static override summary = 'Print an order to fill in.'
  static override description =
    'The order is complete and can be passed to deliveries create. On an account other than the sandbox, fill in your store. Delete what you do not need; dlv openapi describes every field. With --csv, prints a header with dotted column names and one row, to fill in with a spreadsheet.'
  static override examples = [
    '<%= config.bin %> deliveries template > order.json',
    '<%= config.bin %> deliveries template -o ndjson --jq \'.clientOrderReference = "ORDER-1002"\' > orders.ndjson',
    '<%= config.bin %> deliveries template --csv > orders.csv',
  ]
  static override flags = {
    csv: Flags.boolean({ summary: 'Print a CSV header and one row' }),
  }

  async run(): Promise<typeof templateOrder> {
    const { flags } = await this.parse(OrderTemplate)
    const isOwnSandbox = await this.session.account.isOwnSandbox(
      await this.session.account.settings({ needsKey: false }),
    )
    const order = templateFor({ isOwnSandbox })
    if (flags.csv || this.session.output.choices.format === 'csv') {
      const fields = flatFields(order)
      const columns = fields.map(([name]) => ({ name }))
      await this.session.output.text(
        [headerLine(columns, true, true), csvLine(columns, Object.fromEntries(fields), true)].join('\n'),
      )
    } else {
      // JSON whatever the output format, because it is a file to edit.
      await this.session.output.json(
        JSON.stringify(order, null, this.session.output.choices.format === 'ndjson' ? 0 : 2),
      )
    }
    if (!isOwnSandbox)
      this.session.notices.notice(`Replace ${order.pickup.storeReference} with a store of your account.`)
    return order
  }
}
