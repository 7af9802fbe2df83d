import { Flags } from '@oclif/core'
import { SandboxCommand } from '../../cli/sandbox/sandbox-command.js'
import { answerView } from '../../render/answer-view.js'

export default class ResetSandbox extends SandboxCommand {
  static override summary = 'Reset the sandbox: remove deliveries and events, and restore drivers and installations.'
  static override examples = ['<%= config.bin %> sandbox reset', '<%= config.bin %> sandbox reset --keep-endpoints']
  static override flags = { 'keep-endpoints': Flags.boolean({ summary: 'Keep the registered endpoints' }) }

  async run(): Promise<unknown> {
    const { flags } = await this.parse(ResetSandbox)
    const steer = await this.steer({ replaceDamaged: true })
    const answer = await steer('POST', '/reset', { keepEndpoints: flags['keep-endpoints'] })
    await this.show(answerView, answer)
    return answer
  }
}
