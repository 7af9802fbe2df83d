import { Args } from '@oclif/core'
import { BaseCommand } from '../../../cli/command/base-command.js'
import { controlOf } from '../../../cli/sandbox/control.js'
import { answerView } from '../../../render/cards.js'

export default class RestoreSnapshot extends BaseCommand {
  static override summary = 'Restore a snapshot.'
  static override examples = ['<%= config.bin %> sandbox snapshot restore before-test']
  static override args = {
    name: Args.string({ description: 'Name of the snapshot', required: true, ignoreStdin: true }),
  }

  async run(): Promise<unknown> {
    const { args } = await this.parse(RestoreSnapshot)
    const control = await controlOf(this.session, { replaceDamaged: true })
    const answer = await control('POST', `/snapshots/${encodeURIComponent(args.name)}/restore`)
    await this.session.show(answerView, answer)
    return answer
  }
}
