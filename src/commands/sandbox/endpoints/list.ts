import { SandboxCommand } from '../../../cli/sandbox/sandbox-command.js'
import { endpointList } from '../../../render/sandbox-lists.js'

export default class ListEndpoints extends SandboxCommand {
  static override summary = 'List the endpoints that the sandbox sends webhooks to.'
  static override examples = ['<%= config.bin %> sandbox endpoints list']

  async run(): Promise<unknown> {
    await this.parse(ListEndpoints)
    const control = await this.control()
    const { endpoints } = (await control('GET', '/endpoints')) as { endpoints: unknown[] }
    await this.session.show(endpointList, endpoints)
    return endpoints
  }
}
