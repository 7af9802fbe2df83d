import { SandboxCommand } from '../../../cli/sandbox/sandbox-command.js'
import { snapshotList } from '../../../render/sandbox-lists.js'

export default class ListSnapshots extends SandboxCommand {
  static override summary = 'List snapshots.'
  static override examples = ['<%= config.bin %> sandbox snapshot list']

  async run(): Promise<unknown> {
    await this.parse(ListSnapshots)
    const control = await this.control()
    const { snapshots } = (await control('GET', '/snapshots')) as { snapshots: unknown[] }
    await this.session.show(snapshotList, snapshots)
    return snapshots
  }
}
