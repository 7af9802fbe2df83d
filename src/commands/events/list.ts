import { Flags } from '@oclif/core'
import { ApiCommand } from '../../cli/command/api-command.js'
import { eventService } from '../../cli/events/event-service.js'
import { eventFilterFlags, eventQuery } from '../../cli/events/filters.js'
import { fixedTimes, listed, listFlags } from '../../cli/output/paged-list.js'
import { eventList } from '../../render/event-view.js'

export default class ListEvents extends ApiCommand {
  static override summary = 'List past events, oldest first; kept for 30 days.'
  static override examples = [
    '<%= config.bin %> events list --since 2h',
    '<%= config.bin %> events list --undelivered --all -q',
    '<%= config.bin %> events list --limit 100 --cursor CURSOR',
    '<%= config.bin %> events list --delivery del_01ABC --type delivery.delivered',
  ]
  static override flags = {
    ...eventFilterFlags,
    delivered: Flags.boolean({ summary: 'Only events whose webhook arrived', exclusive: ['undelivered'] }),
    undelivered: Flags.boolean({ summary: 'Only events whose webhook never arrived' }),
    ...listFlags,
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(ListEvents)
    const client = await this.api()
    const serviceNow = eventService(client, () => this.nowMs()).nowMs
    const query = await eventQuery(flags, {
      notices: this.notices,
      serviceNow,
      named: (name) => this.named(name, client),
    })
    await listed(this.output, this.notices, {
      view: eventList,
      flags,
      open: (page) => client.pages('listEvents', { ...query, ...page }),
      rowsOf: ({ events }) => events,
      fixed: fixedTimes({ since: query.since, until: query.until }),
    })
  }
}
