import { Args, Flags } from '@oclif/core'
import { UpdateRow, updateAction } from '../../bulk/index.js'
import { mayRaisePrice, refuseTestValuesOnProduction } from '../../cli/command/production-guard.js'
import { repeatable } from '../../cli/command/repeatable.js'
import { dryRunFlag, yesFlag } from '../../cli/command/write-flags.js'
import { BulkCommand, type BulkFlags, bulkFlags } from '../../cli/deliveries/bulk-command.js'
import { admitOrder, admitRow, orderCompleter, readSingleOrder } from '../../cli/deliveries/complete-order.js'
import { schemaChecks } from '../../cli/deliveries/dry-run-rows.js'
import { type OrderFlags, orderFlags } from '../../cli/deliveries/order-flags.js'
import { changedRows, openRows } from '../../cli/deliveries/row-input.js'
import { type Delivery, DeliveryUpdate, type InputOf, UsageError } from '../../contract/index.js'
import { deliveryView } from '../../render/delivery-view.js'

export default class UpdateDelivery extends BulkCommand {
  static override summary = 'Update one delivery or many.'
  static override description =
    'Objects are merged, arrays are replaced, and --clear removes a field. After pickup only the instructions, contact phone and tip can change. Any update of a delivery in dispatch_failed dispatches it again. To update many, pass rows of JSON or CSV with deliveryId and the fields to change, or ids, one per line, with flags that apply to all.'
  static override examples = [
    '<%= config.bin %> deliveries update del_01ABC --instructions "Ring twice"',
    '<%= config.bin %> deliveries update del_01ABC --room 214 --set package.itemsCount=3 --clear dropoff.instructions',
    'echo \'{"tipAmountCents": 500}\' | <%= config.bin %> deliveries update del_01ABC --file -',
    '<%= config.bin %> deliveries update --file changes.csv --results results.ndjson',
    '<%= config.bin %> deliveries list --from 2h --all -q | <%= config.bin %> deliveries update - --tip-cents 500',
  ]
  static override args = {
    id: Args.string({ description: 'Delivery id; - reads ids or rows from standard input', ignoreStdin: true }),
  }
  static override flags = {
    ...orderFlags,
    clear: Flags.string({
      summary: 'Remove a field',
      helpValue: 'PATH',
      ...repeatable,
      helpGroup: 'order',
    }),
    ...bulkFlags,
    ...yesFlag,
    ...dryRunFlag,
  }

  async run(): Promise<Delivery | undefined> {
    const { args, flags } = await this.parse(UpdateDelivery)
    const { id: deliveryId } = args
    if (deliveryId === undefined || deliveryId === '-') return this.updateAll(deliveryId ?? flags.file, flags)
    const nowMs = this.nowMs()
    const patch = orderCompleter(flags, nowMs)(await readSingleOrder(this.context, flags))
    if (Object.keys(patch).length === 0 && flags.file === undefined)
      throw new UsageError('No changes given.', { hint: 'Use --set path=value, --clear path or --file.' })
    admitOrder(patch, this.notices, nowMs)
    this.output.checkColumns(deliveryView)
    const settings = await this.settings()
    refuseTestValuesOnProduction(settings, patch)
    const input = { deliveryId, body: patch } as InputOf<'updateDelivery'>
    if (flags['dry-run']) return this.dryRun('updateDelivery', input)
    const question = `Change the tip or the package of ${deliveryId}`
    if (mayRaisePrice(patch) && !(await this.confirmOnProduction(question, flags.yes))) return undefined
    const client = await this.api()
    const delivery = await client.updateDelivery(input)
    await this.show(deliveryView, delivery)
    return delivery
  }

  private async updateAll(
    source: string | undefined,
    flags: BulkFlags & Partial<OrderFlags> & { clear?: string[] | undefined },
  ): Promise<undefined> {
    if (source === undefined)
      throw new UsageError('No delivery given.', {
        hint: 'Pass its id; for many, --file FILE or - for standard input.',
      })
    if (source === '-' && flags.file !== undefined && flags.file !== '-')
      throw new UsageError('Use either --file or -, not both.')
    if (flags.ref !== undefined) throw new UsageError('--ref is for one delivery, because references are unique.')
    const nowMs = this.nowMs()
    const settings = await this.settings()
    const completed = orderCompleter(flags, nowMs)
    const change = (value: unknown) => {
      const row = completed(value)
      refuseTestValuesOnProduction(settings, row)
      admitRow(row)
      return row
    }
    const checks = schemaChecks(DeliveryUpdate, nowMs)
    return this.carryOutAll(
      {
        rows: changedRows(openRows(this.context, source, UpdateRow), change),
        source,
        question: 'Change every delivery of the input',
        action: (client) => updateAction(client),
        check: ({ body }) => checks(body),
      },
      flags,
    )
  }
}
