import { BaseCommand } from '../../cli/command/base-command.js'
import { controlOf } from '../../cli/sandbox/control.js'
import { requestList } from '../../render/sandbox-lists.js'

export default class SandboxRequests extends BaseCommand {
  static override summary = 'List the last requests to a served sandbox; keys are redacted.'
  static override examples = ['<%= config.bin %> sandbox requests --base-url http://127.0.0.1:4010/delivery/v1']

  async run(): Promise<unknown> {
    await this.parse(SandboxRequests)
    const control = await controlOf(this.session)
    const { requests } = (await control('GET', '/requests')) as { requests: unknown[] }
    await this.session.show(requestList, requests)
    return requests
  }
}
