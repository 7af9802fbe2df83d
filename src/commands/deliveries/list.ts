import { Flags } from '@oclif/core'
import { ApiCommand } from '../../cli/command/api-command.js'
import { parseTime } from '../../cli/input/durations.js'
import { parseStatus } from '../../cli/input/statuses.js'
import { fixedTimes, listed, listFlags } from '../../cli/output/paged-list.js'
import { deliveryList } from '../../render/delivery-view.js'

export default class ListDeliveries extends ApiCommand {
  static override summary = 'List deliveries, newest first.'
  static override examples = [
    '<%= config.bin %> deliveries list --from 2h',
    '<%= config.bin %> deliveries list --from yesterday --status failed',
    '<%= config.bin %> deliveries list --from 30d --all -o csv > deliveries.csv',
    '<%= config.bin %> deliveries list --ref ORDER-1001',
  ]
  static override flags = {
    from: Flags.string({
      summary: 'Created at or after: 2h, 3d, yesterday (default 24h)',
      helpValue: 'TIME',
    }),
    to: Flags.string({ summary: 'Created before (default now)', helpValue: 'TIME' }),
    status: Flags.string({
      char: 's',
      summary: 'Only this status, such as failed',
      helpValue: 'STATUS',
    }),
    ref: Flags.string({ summary: 'Only the one with this clientOrderReference', helpValue: 'REFERENCE' }),
    ...listFlags,
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(ListDeliveries)
    const status = flags.status === undefined ? {} : { status: parseStatus(flags.status, '--status') }
    const client = await this.api()
    const from = flags.from ?? '24h'
    const nowMs = flags.ref === undefined ? await this.nowMsFor(client, from, flags.to) : this.nowMs()
    const span = {
      from: parseTime(from, '--from', nowMs),
      ...(flags.to === undefined ? {} : { to: parseTime(flags.to, '--to', nowMs) }),
    }
    const query = { ...(flags.ref === undefined ? span : { clientOrderReference: flags.ref }), ...status }
    await listed(this.output, this.notices, {
      view: deliveryList,
      flags,
      open: (page) => client.pages('listDeliveries', { ...query, ...page }),
      rowsOf: ({ deliveries }) => deliveries,
      fixed: fixedTimes(span),
    })
  }
}
