import { Args, Flags } from '@oclif/core'
import { SandboxCommand } from '../../../cli/sandbox/sandbox-command.js'
import { answerView } from '../../../render/answer-view.js'

export default class SaveSnapshot extends SandboxCommand {
  static override summary = 'Save a snapshot of the state.'
  static override examples = ['<%= config.bin %> sandbox snapshot save before-test']
  static override args = {
    name: Args.string({ description: 'Name of the snapshot', required: true, ignoreStdin: true }),
  }

  static override flags = { force: Flags.boolean({ summary: 'Overwrite a snapshot of the same name' }) }

  async run(): Promise<unknown> {
    const { args, flags } = await this.parse(SaveSnapshot)
    const steer = await this.steer()
    const answer = await steer('POST', `/snapshots/${encodeURIComponent(args.name)}`, { force: flags.force })
    await this.show(answerView, answer)
    return answer
  }
}
