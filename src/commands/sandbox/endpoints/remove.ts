import { Args, Flags } from '@oclif/core'
import { SandboxCommand } from '../../../cli/sandbox/sandbox-command.js'
import { UsageError } from '../../../contract/index.js'
import { answerView } from '../../../render/answer-view.js'

export default class RemoveEndpoint extends SandboxCommand {
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
    const control = await this.control()
    const answer = await control(
      'DELETE',
      args.id === undefined ? '/endpoints' : `/endpoints/${encodeURIComponent(args.id)}`,
    )
    await this.session.show(answerView, answer)
    return answer
  }
}
