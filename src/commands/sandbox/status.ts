import { BaseCommand } from '../../cli/command/base-command.js'
import { controlOf } from '../../cli/sandbox/control.js'
import { type SandboxStatus as Status, sandboxStatusView } from '../../render/sandbox-view.js'

export default class SandboxStatus extends BaseCommand {
  static override summary = 'Show the state of the sandbox: clock, counts, switches, faults, endpoints.'
  static override examples = ['<%= config.bin %> sandbox status', '<%= config.bin %> sandbox status --jq .switches']

  async run(): Promise<unknown> {
    await this.parse(SandboxStatus)
    const control = await controlOf(this.session)
    const status = (await control('GET', '/status')) as Status
    await this.session.show(sandboxStatusView, status)
    return status
  }
}
