import { rowsView, SandboxCommand } from '../../../cli/sandbox/sandbox-command.js'

const snapshotList = rowsView('name', ['name', 'savedAt', 'bytes'], 'No snapshots: dlv sandbox snapshot save NAME')

export default class ListSnapshots extends SandboxCommand {
  static override summary = 'List snapshots.'
  static override examples = ['<%= config.bin %> sandbox snapshot list']

  async run(): Promise<unknown> {
    await this.parse(ListSnapshots)
    const steer = await this.steer()
    const { snapshots } = (await steer('GET', '/snapshots')) as { snapshots: unknown[] }
    await this.show(snapshotList, snapshots)
    return snapshots
  }
}
