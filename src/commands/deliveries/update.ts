import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../cli/api-command.js'
import { dryRun } from '../../cli/dry-run.js'
import { refuseMagicOnProduction } from '../../cli/guard.js'
import { orderFlags } from '../../cli/order-flags.js'
import { admitOrder, completeOrder, readSingleOrder } from '../../cli/order-input.js'
import { withValue } from '../../cli/paths.js'
import { dryRunFlag } from '../../cli/write-flags.js'
import { type Delivery, type InputOf, UsageError } from '../../contract/index.js'
import { deliveryView } from '../../render/delivery-view.js'

export default class UpdateDelivery extends ApiCommand {
  static override summary = 'Change a delivery that is under way.'
  static override description =
    'Objects are merged, lists are replaced, --clear empties a field. After pickup only instructions, contact phone and tip may change. Any update of a delivery in dispatch_failed dispatches it anew.'
  static override examples = [
    '<%= config.bin %> deliveries update del_01ABC --instructions "Ring twice"',
    '<%= config.bin %> deliveries update del_01ABC --set dropoff.unit.room=214 --clear dropoff.instructions',
    'echo \'{"tipAmountCents": 500}\' | <%= config.bin %> deliveries update del_01ABC --file -',
  ]
  static override args = { id: Args.string({ description: 'Delivery id', required: true, ignoreStdin: true }) }
  static override flags = {
    ...orderFlags,
    clear: Flags.string({
      summary: 'Empty a field',
      helpValue: 'PATH',
      multiple: true,
      multipleNonGreedy: true,
      helpGroup: 'order',
    }),
    ...dryRunFlag,
  }

  async run(): Promise<Delivery | undefined> {
    const { args, flags } = await this.parse(UpdateDelivery)
    const nowMs = Date.now()
    const changed = completeOrder(await readSingleOrder(flags), flags, nowMs)
    const patch = (flags.clear ?? []).reduce((made, path) => withValue(made, path, null, '--clear'), changed)
    if (Object.keys(patch).length === 0 && flags.file === undefined)
      throw new UsageError('Nothing to change was given.', { hint: 'Use --set path=value, --clear path or --file.' })
    admitOrder(patch, this.notices, nowMs)
    const settings = await this.settings()
    refuseMagicOnProduction(settings, patch)
    const input = { deliveryId: args.id, body: patch } as InputOf<'updateDelivery'>
    if (flags['dry-run']) return dryRun(this.output, settings, 'updateDelivery', input)
    const client = await this.api()
    const delivery = await client.updateDelivery(input)
    await this.show(deliveryView, delivery)
    return delivery
  }
}
