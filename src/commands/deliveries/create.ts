import { Flags } from '@oclif/core'
import { bulkFlags } from '../../cli/bulk/carry-out.js'
import { BaseCommand } from '../../cli/command/base-command.js'
import { dryRunFlag, yesFlag } from '../../cli/command/write-flags.js'
import { createMany } from '../../cli/orders/create-many.js'
import { createOne } from '../../cli/orders/create-one.js'
import { planCreation } from '../../cli/orders/create-plan.js'
import { orderFlags, priceFlags } from '../../cli/orders/order-flags.js'
import { spreadsheetFlags } from '../../cli/orders/sheets/column-map.js'
import { type Delivery, DeliveryCreate } from '../../contract/index.js'

export default class CreateDelivery extends BaseCommand {
  static override summary = 'Create and dispatch deliveries.'
  static override description =
    'The idempotency key is derived from the order, so running the same command again after a timeout or a crash does not dispatch a second driver. A file with several orders (a JSON array, NDJSON or CSV) is a bulk run; run the same command to resume it. A column profile names the account of each row: every account is sent its own at its own pace, and a profile that does not exist, or is production without --yes, ends it before the first row. Without a file, a terminal asks for what the flags lack, and shows the price before it dispatches.'
  static override examples = [
    '<%= config.bin %> deliveries create',
    '<%= config.bin %> deliveries create --file order.json',
    '<%= config.bin %> deliveries create --file order.json --set dropoff.instructions="Ring twice" --wait delivered',
    '<%= config.bin %> deliveries create --store STORE-001 --to "200 Hay St, Fayetteville, NC 28301" --name "Maya Reyes" --phone +19105550123 --ref ORDER-1001',
    '<%= config.bin %> deliveries create --from ORDER-1001 --ref ORDER-1002',
    '<%= config.bin %> deliveries create --file order.json --max-price 9.75',
    'generate-order | <%= config.bin %> deliveries create --file - --jq .deliveryId',
    '<%= config.bin %> deliveries create --file orders.csv --results results.ndjson',
    '<%= config.bin %> deliveries create --file merchants.csv --map "Merchant=profile"',
    '<%= config.bin %> deliveries create --file sheet.csv --map "Order no=clientOrderReference" --map "Phone=dropoff.contactPhone" --store STORE-001',
    '<%= config.bin %> deliveries create --file order.json --dry-run',
  ]
  static override flags = {
    ...orderFlags,
    ...spreadsheetFlags,
    from: Flags.string({
      summary: 'Repeat this delivery, under a new reference',
      description:
        'Copies pickup, dropoff and tip, and what else the service shows; of an order that was sent from here also window, package, checks and handling, but no descriptions. Other flags change the copy. The new reference is that of --ref, or the old one with -r2 behind it.',
      helpGroup: 'order',
      helpValue: 'ID|REFERENCE',
      exclusive: ['file'],
    }),
    quote: Flags.string({ summary: 'quoteId', helpValue: 'ID', helpGroup: 'order' }),
    ...priceFlags,
    'idempotency-key': Flags.string({
      summary: 'Idempotency key (one order only)',
      helpValue: 'KEY',
      exclusive: ['new-key'],
    }),
    'new-key': Flags.boolean({ summary: 'Use a new random idempotency key' }),
    wait: Flags.string({ summary: 'Wait for this status; exit 9 if it ends in another', helpValue: 'STATUS' }),
    ...bulkFlags,
    ...dryRunFlag,
    ...yesFlag,
  }

  async run(): Promise<Delivery | undefined> {
    const { flags } = await this.parse(CreateDelivery)
    if (flags.file !== undefined) {
      // Rows that name profiles: this command is run once for each account, and comes here again with its rows.
      const { runByAccounts } = await import('../../cli/orders/sheets/by-account.js')
      if (await runByAccounts(this.session, { file: flags.file, schema: DeliveryCreate, flags })) return undefined
    }
    const { file, plan } = await planCreation(this.session, flags)
    if (file.kind === 'run') return createMany(this.session, file.rows, plan, flags)
    return createOne(this.session, file.order, plan, flags)
  }
}
