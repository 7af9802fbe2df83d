import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../cli/api-command.js'
import { dryRun } from '../../cli/dry-run.js'
import { dryRunFlag, yesFlag } from '../../cli/write-flags.js'
import { cancelKeyOf } from '../../client/index.js'
import type { Delivery } from '../../contract/index.js'
import { deliveryView } from '../../render/delivery-view.js'

export default class CancelDelivery extends ApiCommand {
  static override summary = 'Cancel a delivery. A fee may apply.'
  static override description =
    'The same command again gives the same answer and no second fee. A delivery that is over is a conflict (5).'
  static override examples = [
    '<%= config.bin %> deliveries cancel del_01ABC --reason customer_cancelled',
    '<%= config.bin %> deliveries cancel del_01ABC --notes "Wrong address" --yes',
  ]
  static override args = { id: Args.string({ description: 'Delivery id', required: true, ignoreStdin: true }) }
  static override flags = {
    reason: Flags.string({ summary: 'Recorded for reports, such as customer_cancelled', helpValue: 'REASON' }),
    notes: Flags.string({ summary: 'reasonNotes: free text', helpValue: 'TEXT' }),
    'idempotency-key': Flags.string({
      summary: 'Default: made from the profile, the delivery and the reason',
      helpValue: 'KEY',
    }),
    ...yesFlag,
    ...dryRunFlag,
  }

  async run(): Promise<Delivery | undefined> {
    const { args, flags } = await this.parse(CancelDelivery)
    const settings = await this.settings()
    const body = {
      ...(flags.reason === undefined ? {} : { reason: flags.reason }),
      ...(flags.notes === undefined ? {} : { reasonNotes: flags.notes }),
    }
    const idempotencyKey =
      flags['idempotency-key'] ?? cancelKeyOf({ profile: settings.profile, deliveryId: args.id, body })
    const input = { deliveryId: args.id, idempotencyKey, ...(Object.keys(body).length === 0 ? {} : { body }) }
    if (flags['dry-run']) return dryRun(this.output, settings, 'cancelDelivery', input)
    if (!(await this.confirmOnProduction(`Cancel ${args.id}`, flags.yes))) return undefined
    const client = await this.api()
    const { value: delivery, replayed } = await client.call('cancelDelivery', input)
    if (replayed) this.notices.notice('It was cancelled before; this is the answer of then.')
    await this.show(deliveryView, delivery)
    return delivery
  }
}
