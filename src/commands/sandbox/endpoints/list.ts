import { rowsView, SandboxCommand } from '../../../cli/sandbox/sandbox-command.js'

const endpointList = rowsView(
  'id',
  ['id', 'url', 'kind', 'account', 'disabled', 'consecutiveFailures'],
  'No receivers: dlv sandbox endpoints add URL',
)

export default class ListEndpoints extends SandboxCommand {
  static override summary = 'List the endpoints that the sandbox sends webhooks to.'
  static override examples = ['<%= config.bin %> sandbox endpoints list']

  async run(): Promise<unknown> {
    await this.parse(ListEndpoints)
    const steer = await this.steer()
    const { endpoints } = (await steer('GET', '/endpoints')) as { endpoints: unknown[] }
    await this.show(endpointList, endpoints)
    return endpoints
  }
}
