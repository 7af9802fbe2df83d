import { Args, Flags } from '@oclif/core'
import { BaseCommand } from '../../../cli/command/base-command.js'
import { controlOf } from '../../../cli/sandbox/control.js'
import { UsageError } from '../../../contract/index.js'
import { answerView } from '../../../render/cards.js'

export default class RemoveEndpoint extends BaseCommand {
  static override summary = 'Remove endpoints.'
  static override examples = [
    '<%= config.bin %> sandbox endpoints remove we_01ABC',
    '<%= config.bin %> sandbox endpoints remove --all',
  ]
  static override args = { id: Args.string({ description: 'Endpoint id', ignoreStdin: true }) }
  static override flags = { all: Flags.boolean({ summary: 'Remove all endpoints' }) }

  async run(): Promise<unknown> {
    const { args, flags } = await this.parse(RemoveEndpoint)
    if ((args.id === undefined) === !flags.all) throw new UsageError('Expected either an endpoint id or --all.')
    const control = await controlOf(this.session)
    const answer = await control(
      'DELETE',
      args.id === undefined ? '/endpoints' : `/endpoints/${encodeURIComponent(args.id)}`,
    )
    await this.session.show(answerView, answer)
    return answer
  }
}
