import { answerView, SandboxCommand } from '../../cli/sandbox-command.js'

export default class SandboxStatus extends SandboxCommand {
  static override summary = 'How the sandbox stands: clock, counts, switches, faults, receivers.'
  static override examples = ['<%= config.bin %> sandbox status', '<%= config.bin %> sandbox status --jq .switches']

  async run(): Promise<unknown> {
    await this.parse(SandboxStatus)
    const steer = await this.steer()
    const status = await steer('GET', '/status')
    await this.show(answerView, status)
    return status
  }
}
