import { BaseCommand } from '../../../cli/command/base-command.js'
import { controlOf } from '../../../cli/sandbox/control.js'
import { snapshotList } from '../../../render/sandbox-lists.js'

export default class ListSnapshots extends BaseCommand {
  static override summary = 'List snapshots.'
  static override examples = ['<%= config.bin %> sandbox snapshot list']

  async run(): Promise<unknown> {
    await this.parse(ListSnapshots)
    const control = await controlOf(this.session)
    const { snapshots } = (await control('GET', '/snapshots')) as { snapshots: unknown[] }
    await this.session.show(snapshotList, snapshots)
    return snapshots
  }
}
