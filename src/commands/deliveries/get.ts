import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../cli/command/api-command.js'
import { idsOf } from '../../cli/input/ids.js'
import { findByReference } from '../../client/index.js'
import { type Delivery, UsageError } from '../../contract/index.js'
import { deliveriesView, deliveryView, noDelivery } from '../../render/delivery-view.js'

export default class GetDelivery extends ApiCommand {
  static override summary = 'Show a delivery with its timeline.'
  static override description =
    'An unknown reference is no error in the contract: nothing is printed and the exit code is 0. An unknown id is 4.'
  static override examples = [
    '<%= config.bin %> deliveries get del_01ABC',
    '<%= config.bin %> deliveries get --ref ORDER-1001',
    '<%= config.bin %> deliveries list --from 1d -q | <%= config.bin %> deliveries get -',
    "<%= config.bin %> deliveries get del_01ABC --jq '.status'",
  ]
  static override args = {
    id: Args.string({
      description: 'Delivery ids, or - for ids from standard input',
      ignoreStdin: true,
      multiple: true,
    }),
  }
  static override flags = {
    ref: Flags.string({ summary: 'Look it up by clientOrderReference', helpValue: 'REFERENCE' }),
  }

  async run(): Promise<Delivery | Delivery[] | undefined> {
    const { args, flags } = await this.parse(GetDelivery)
    const ids = await idsOf(this.context, args.id)
    if ((ids.length === 0) === (flags.ref === undefined))
      throw new UsageError('Give the id of a delivery, or --ref with its reference.')
    const client = await this.api()
    if (flags.ref !== undefined) {
      const delivery = await findByReference(client, flags.ref)
      await (delivery === undefined ? this.show(noDelivery(flags.ref), null) : this.show(deliveryView, delivery))
      return delivery
    }
    const [first = ''] = ids
    if (ids.length > 1 || args.id?.includes('-')) {
      await this.output.stream(
        deliveriesView,
        each(ids, (deliveryId) => client.getDelivery({ deliveryId })),
      )
      return undefined
    }
    const delivery = await client.getDelivery({ deliveryId: first })
    await this.show(deliveryView, delivery)
    return delivery
  }
}

async function* each<Found>(ids: readonly string[], get: (id: string) => Promise<Found>): AsyncGenerator<Found> {
  for (const id of ids) yield await get(id)
}
