import { BaseCommand } from '../../../cli/command/base-command.js'
import { controlOf } from '../../../cli/sandbox/control.js'
import { endpointList } from '../../../render/sandbox-lists.js'

export default class ListEndpoints extends BaseCommand {
  static override summary = 'List the endpoints that the sandbox sends webhooks to.'
  static override examples = ['<%= config.bin %> sandbox endpoints list']

  async run(): Promise<unknown> {
    await this.parse(ListEndpoints)
    const control = await controlOf(this.session)
    const { endpoints } = (await control('GET', '/endpoints')) as { endpoints: unknown[] }
    await this.session.show(endpointList, endpoints)
    return endpoints
  }
}
