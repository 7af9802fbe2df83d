import { Args } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.js'
import { controlOf } from '../../cli/sandbox/control.js'
import { answerView } from '../../render/cards.js'

export default class InspectDelivery extends BaseCommand {
  static override summary = "Show a delivery's internal sandbox state."
  static override examples = ['<%= config.bin %> sandbox inspect del_01ABC --json']
  static override args = {
    id: Args.string({ description: 'Delivery id or order reference', required: true, ignoreStdin: true }),
  }

  async run(): Promise<unknown> {
    const { args } = await this.parse(InspectDelivery)
    const control = await controlOf(this.session)
    const { deliveryId } = await this.session.named(args.id)
    const inside = await control('GET', `/deliveries/${encodeURIComponent(deliveryId)}`)
    await this.session.show(answerView, inside)
    return inside
  }
}
