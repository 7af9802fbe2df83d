import { Flags } from '@oclif/core'
import { createAction } from '../../bulk/index.js'
import { refuseTestValuesOnProduction } from '../../cli/command/production-guard.js'
import { dryRunFlag, yesFlag } from '../../cli/command/write-flags.js'
import { BulkCommand, bulkFlags } from '../../cli/deliveries/bulk-command.js'
import { admitOrder, admitRow, orderCompleter, readOrders } from '../../cli/deliveries/complete-order.js'
import { schemaChecks } from '../../cli/deliveries/dry-run-rows.js'
import { orderFlags } from '../../cli/deliveries/order-flags.js'
import { changedRows } from '../../cli/deliveries/row-input.js'
import { sentOrderLog } from '../../cli/deliveries/sent-order-log.js'
import { awaitStatus, showWatch } from '../../cli/deliveries/show-watch.js'
import { limitMs } from '../../cli/input/durations.js'
import { parseStatus } from '../../cli/input/statuses.js'
import { QuotePromises } from '../../cli/report/quote-promises.js'
import { bodyHashOf, createOnce, idempotencyKeyOf, newIdempotencyKey } from '../../client/index.js'
import {
  type Delivery,
  DeliveryCreate,
  type InputOf,
  type KnownDeliveryStatus,
  UsageError,
} from '../../contract/index.js'
import { deliveryView } from '../../render/delivery-view.js'
import { valueAt } from '../../render/view.js'

const notDispatched = {
  existing: 'This order already exists; nothing was dispatched.',
  replayed: 'Already created by an earlier run of this command; nothing was dispatched.',
} as const

export default class CreateDelivery extends BulkCommand {
  static override summary = 'Create and dispatch deliveries.'
  static override description =
    'The idempotency key is derived from the order, so running the same command again after a timeout or a crash does not dispatch a second driver. A file with several orders (a JSON array, NDJSON or CSV) is a bulk run; run the same command to resume it.'
  static override examples = [
    '<%= config.bin %> deliveries create --file order.json',
    '<%= config.bin %> deliveries create --file order.json --set dropoff.instructions="Ring twice" --wait delivered',
    '<%= config.bin %> deliveries create --store STORE-001 --to "200 Hay St, Fayetteville, NC 28301" --name "Maya Reyes" --phone +19105550123 --ref ORDER-1001',
    'generate-order | <%= config.bin %> deliveries create --file - --jq .deliveryId',
    '<%= config.bin %> deliveries create --file orders.csv --results results.ndjson',
    '<%= config.bin %> deliveries create --file order.json --dry-run',
  ]
  static override flags = {
    ...orderFlags,
    quote: Flags.string({ summary: 'quoteId', helpValue: 'ID', helpGroup: 'order' }),
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
    const until = flags.wait === undefined ? undefined : parseStatus(flags.wait, '--wait')
    const nowMs = this.nowMs()
    const settings = await this.settings()
    refuseTestValuesOnProduction(settings, { idempotencyKey: flags['idempotency-key'] })
    const file = await readOrders(this.context, flags)
    const completed = orderCompleter(flags, nowMs)
    const promises = new QuotePromises(this.config.dataDir, settings.profile, this.context.nowMs)
    this.onClose(() => promises.flush())
    const complete = (value: unknown) => {
      const order = completed(value)
      refuseTestValuesOnProduction(settings, order)
      const whole = flags.quote === undefined ? order : { ...order, quoteId: flags.quote }
      if (!flags['dry-run']) promises.ordered(whole)
      return whole
    }
    if (file.kind === 'run') {
      for (const flag of ['idempotency-key', 'ref', 'wait'] as const)
        if (flags[flag] !== undefined)
          throw new UsageError(`--${flag} is for one order, but this file contains several.`)
      const admitted = (value: unknown) => {
        const order = complete(value)
        admitRow(order)
        return order
      }
      return this.carryOutAll(
        {
          rows: () => changedRows(file.rows, admitted),
          source: flags.file ?? '-',
          question: 'Create every order of this file',
          action: (client, profile) => createAction(client, { profile, newKeys: flags['new-key'] }),
          check: schemaChecks(DeliveryCreate, nowMs),
        },
        flags,
      )
    }
    const order = complete(file.order)
    const { clientOrderReference } = order
    this.isAbout({ clientOrderReference, code: valueAt(order, 'dropoff.installation.code') })
    admitOrder(order, this.notices, nowMs)
    this.output.checkColumns(deliveryView)
    const { profile } = settings
    const bodyHash = bodyHashOf(order)
    const derived = () => idempotencyKeyOf({ profile, order, bodyHash })
    const idempotencyKey = flags['idempotency-key'] ?? (flags['new-key'] ? newIdempotencyKey() : derived())
    const input = { body: order, idempotencyKey } as unknown as InputOf<'createDelivery'>
    if (flags['dry-run']) return this.dryRun('createDelivery', input)
    if (!(await this.confirmOnProduction(`Dispatch ${clientOrderReference ?? 'this order'}`, flags.yes)))
      return undefined
    const client = await this.api()
    const ledger = sentOrderLog(this.config.dataDir, profile, this.notices, this.context.nowMs)
    const { delivery, outcome } = await createOnce(client, { order: input.body, idempotencyKey, bodyHash }, ledger)
    if (outcome !== 'created') this.notices.notice(notDispatched[outcome])
    if (until === undefined) {
      await this.show(deliveryView, delivery)
      return delivery
    }
    return this.waitFor(delivery, until)
  }

  /** People see the card and then what happens; a script gets one result, the delivery at the end of the wait. */
  private async waitFor(delivery: Delivery, until: KnownDeliveryStatus): Promise<Delivery> {
    const { deliveryId } = delivery
    const signal = this.takeSignals()
    const options = {
      until,
      forMs: limitMs([this.globalFlags.timeout, '--timeout']),
      signal,
      nowMs: this.context.nowMs,
    }
    if (this.output.forPeople) await this.show(deliveryView, delivery)
    else this.notices.notice(`${deliveryId} is ${delivery.status}; waiting for ${until}.`)
    const client = await this.watchingApi(signal)
    if (this.output.forPeople) {
      this.endWith(await showWatch(client, deliveryId, options, this.output, this.notices, true))
      return delivery
    }
    this.endWith(await awaitStatus(client, deliveryId, options, this.notices))
    const now = signal.aborted ? delivery : await client.getDelivery({ deliveryId })
    await this.show(deliveryView, now)
    return now
  }
}
