import { Flags } from '@oclif/core'
import { ApiCommand } from '../../cli/api-command.js'
import { createOnce } from '../../cli/create-once.js'
import { dryRun } from '../../cli/dry-run.js'
import { refuseMagicOnProduction } from '../../cli/guard.js'
import { takeSignals } from '../../cli/interruption.js'
import { orderFlags } from '../../cli/order-flags.js'
import { admitOrder, completeOrder, readOrders } from '../../cli/order-input.js'
import { showWatch } from '../../cli/show-watch.js'
import { dryRunFlag, yesFlag } from '../../cli/write-flags.js'
import { idempotencyKeyOf, newIdempotencyKey } from '../../client/index.js'
import type { Delivery, InputOf } from '../../contract/index.js'
import { deliveryView } from '../../render/delivery-view.js'

export default class CreateDelivery extends ApiCommand {
  static override summary = 'Create and dispatch a delivery.'
  static override description =
    'The Idempotency-Key comes from the order itself: the same command again, after a time-out or a crash, dispatches no second driver.'
  static override examples = [
    '<%= config.bin %> deliveries create --file order.json',
    '<%= config.bin %> deliveries create --file order.json --set dropoff.instructions="Ring twice" --wait delivered',
    '<%= config.bin %> deliveries create --store STORE-001 --to "200 Hay St, Fayetteville, NC 28301" --name "Maya Reyes" --phone +19105550123 --ref ORDER-1001',
    'generate-order | <%= config.bin %> deliveries create --file - --json | jq -r .deliveryId',
    '<%= config.bin %> deliveries create --file order.json --dry-run',
  ]
  static override flags = {
    ...orderFlags,
    quote: Flags.string({ summary: 'quoteId of a quote', helpValue: 'ID', helpGroup: 'order' }),
    'idempotency-key': Flags.string({ summary: 'Use this key', helpValue: 'KEY', exclusive: ['new-key'] }),
    'new-key': Flags.boolean({ summary: 'Use a key that nothing else has' }),
    wait: Flags.string({ summary: 'Follow it to this status; 9 where it ends elsewhere', helpValue: 'STATUS' }),
    ...dryRunFlag,
    ...yesFlag,
  }

  async run(): Promise<Delivery | undefined> {
    const { flags } = await this.parse(CreateDelivery)
    const nowMs = Date.now()
    const settings = await this.settings()
    const { orders } = await readOrders(flags)
    const completed = completeOrder(orders[0] ?? {}, flags, nowMs)
    const order = flags.quote === undefined ? completed : { ...completed, quoteId: flags.quote }
    refuseMagicOnProduction(settings, order)
    admitOrder(order, this.notices, nowMs)
    const idempotencyKey =
      flags['idempotency-key'] ??
      (flags['new-key'] ? newIdempotencyKey() : idempotencyKeyOf({ profile: settings.profile, order }))
    const input = { body: order, idempotencyKey } as unknown as InputOf<'createDelivery'>
    if (flags['dry-run']) return dryRun(this.output, settings, 'createDelivery', input)
    const client = await this.api()
    const { delivery, outcome } = await createOnce(client, input)
    if (outcome !== 'created') this.notices.notice(`Nothing new was dispatched: this order is ${outcome}.`)
    await this.show(deliveryView, delivery)
    if (flags.wait !== undefined) {
      const signal = takeSignals()
      const watching = await this.watchingApi(signal)
      const options = { until: flags.wait, signal }
      this.endWith(await showWatch(watching, delivery.deliveryId, options, this.output, this.notices, true))
    }
    return delivery
  }
}
