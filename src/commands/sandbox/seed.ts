import { Flags } from '@oclif/core'
import { SandboxCommand } from '../../cli/sandbox/sandbox-command.js'
import { answerView } from '../../render/answer-view.js'

export default class SeedSandbox extends SandboxCommand {
  static override summary = 'Fill the sandbox with mock deliveries in every status.'
  static override examples = ['<%= config.bin %> sandbox seed --count 500']
  static override flags = {
    count: Flags.integer({ char: 'c', summary: 'How many', default: 100, min: 1, max: 1_000_000 }),
  }

  async run(): Promise<unknown> {
    const { flags } = await this.parse(SeedSandbox)
    const steer = await this.steer()
    const answer = await steer('POST', '/seed', { count: flags.count })
    await this.show(answerView, answer)
    return answer
  }
}
