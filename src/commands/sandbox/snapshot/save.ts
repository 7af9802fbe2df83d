import { Args } from '@oclif/core'
import { SandboxCommand } from '../../../cli/sandbox/sandbox-command.js'
import { answerView } from '../../../render/answer-view.js'

export default class SaveSnapshot extends SandboxCommand {
  static override summary = 'Keep a named copy of the state.'
  static override examples = ['<%= config.bin %> sandbox snapshot save before-test']
  static override args = {
    name: Args.string({ description: 'Name of the snapshot', required: true, ignoreStdin: true }),
  }

  async run(): Promise<unknown> {
    const { args } = await this.parse(SaveSnapshot)
    const steer = await this.steer()
    const answer = await steer('POST', `/snapshots/${encodeURIComponent(args.name)}`)
    await this.show(answerView, answer)
    return answer
  }
}
