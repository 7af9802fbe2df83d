import { rowsView, SandboxCommand } from '../../cli/sandbox/sandbox-command.js'

const requestList = rowsView(
  'requestId',
  ['at', 'method', 'path', 'status', 'durationMs', 'requestId'],
  'No requests yet.',
)

export default class SandboxRequests extends SandboxCommand {
  static override summary = 'List the last requests to a served sandbox; keys are redacted.'
  static override examples = ['<%= config.bin %> sandbox requests --base-url http://127.0.0.1:4010/delivery/v1']

  async run(): Promise<unknown> {
    await this.parse(SandboxRequests)
    const steer = await this.steer()
    const { requests } = (await steer('GET', '/requests')) as { requests: unknown[] }
    await this.show(requestList, requests)
    return requests
  }
}
