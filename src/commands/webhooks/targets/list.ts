import { BaseCommand } from '../../../cli/command/base-command.js'
import { journalFlag } from '../../../cli/journal/place.js'
import { Journals } from '../../../cli/webhooks/journals.js'
import type { JournalTarget } from '../../../listener/index.js'
import { targetList } from '../../../render/webhook-views.js'

export default class ListTargets extends BaseCommand {
  static override readsSeveral = true
  static override summary = 'List where the events of a journal are forwarded to.'
  static override description =
    'In a journal on PostgreSQL, these are the URLs that forwarders have named with --forward-to, each of which gets every new event of its types. A URL that no forwarder has named for 7 days is not active: it gets nothing new, and what waits for it is still tried. In a file, these are the URLs that events were forwarded to.'
  static override examples = [
    '<%= config.bin %> webhooks targets list --journal postgres://dlv@one:5432,two:5432/dlv',
    "<%= config.bin %> webhooks targets list --jq '.[] | select(.active == false).url'",
  ]
  static override flags = journalFlag

  private journals!: Journals

  async run(): Promise<JournalTarget[]> {
    const { flags } = await this.parse(ListTargets)
    this.journals = new Journals(this.session, flags.journal)
    const targets = await (await this.journals.open()).targets()
    await this.session.show(targetList, targets)
    return targets
  }
}
