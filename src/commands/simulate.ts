import { Args, Flags } from '@oclif/core'
import { BaseCommand } from '../cli/command/base-command.js'
import { refuseOnProduction } from '../cli/command/production-guard.js'
import { parseReason, parseStatus } from '../cli/input/contract-words.js'
import { type InputOf, type SimulateResponse, UsageError } from '../contract/index.js'
import { movesFrom, simulationView } from '../render/service-views.js'
import { possibleMoves } from '../trade/statuses.js'

export default class Simulate extends BaseCommand {
  static override summary = 'Advance a sandbox delivery to a status.'
  static override description = 'Passes through every status in between, each with its event and webhook.'
  static override examples = [
    '<%= config.bin %> simulate ORDER-1001 --to delivered',
    '<%= config.bin %> simulate del_01ABC --to failed --reason recipient_refused',
    '<%= config.bin %> simulate del_01ABC --to pickup_complete --no-intermediate',
    '<%= config.bin %> simulate del_01ABC --list',
  ]
  static override args = {
    id: Args.string({ description: 'Delivery id or order reference', required: true, ignoreStdin: true }),
  }
  static override flags = {
    to: Flags.string({
      char: 't',
      summary: 'Target status, such as delivered',
      helpValue: 'STATUS',
    }),
    reason: Flags.string({ char: 'r', summary: 'Reason code, for failed, cancelled and others', helpValue: 'CODE' }),
    'no-intermediate': Flags.boolean({ summary: 'Skip the statuses in between: one transition, one event' }),
    list: Flags.boolean({ summary: 'List the possible next statuses', exclusive: ['to'] }),
  }

  async run(): Promise<SimulateResponse | undefined> {
    const { args, flags } = await this.parse(Simulate)
    refuseOnProduction(await this.session.account.settings(), 'simulate')
    if (flags.to === undefined && !flags.list) throw new UsageError('Expected --to STATUS, or --list.')
    const status = flags.to === undefined ? undefined : parseStatus(flags.to, '--to', this.session.notices)
    const reason =
      flags.reason === undefined || status === undefined
        ? undefined
        : parseReason(flags.reason, '--reason', status, this.session.notices)
    const client = await this.session.client()
    const { deliveryId } = await this.session.named(args.id, client, { forWrite: !flags.list })
    if (status === undefined) {
      const delivery = await client.getDelivery({ deliveryId })
      await this.session.show(movesFrom(delivery.status), possibleMoves(delivery))
      if ((await this.session.account.settings()).baseUrl !== undefined)
        this.session.notices.notice('From the contract; the service decides, and may have statuses of its own.')
      return undefined
    }
    const body = {
      advanceTo: status,
      ...(reason === undefined ? {} : { statusReasonCode: reason }),
      ...(flags['no-intermediate'] ? { emitIntermediateEvents: false } : {}),
    }
    this.session.output.checkColumns(simulationView)
    const answer = await client.simulateDelivery({ deliveryId, body } as InputOf<'simulateDelivery'>)
    await this.session.show(simulationView, answer)
    return answer
  }
}
