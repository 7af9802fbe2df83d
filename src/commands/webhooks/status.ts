import { BaseCommand } from '../../cli/command/base-command.js'
import { journalFlag } from '../../cli/journal/place.js'
import { Journals } from '../../cli/webhooks/journals.js'
import { lastPullOf } from '../../cli/webhooks/listen-pull.js'
import { isPostgresAddress, shownAddress } from '../../postgres/index.js'
import { type JournalStatusShown, journalStatusView } from '../../render/journal-status-view.js'

export default class WebhookStatus extends BaseCommand {
  static override readsSeveral = true
  static override summary = 'Show who receives and forwards, and what waits.'
  static override description =
    'Names the journal; without a profile, it is that of the base URL and key. Of a journal in a file: whether its listener runs, its process and address, the last event, what it turned away and what waits for each target. Of a journal in PostgreSQL: the listeners that forward, with the shards that each of them has; every delivery belongs to one of 64 shards.'
  static override examples = [
    '<%= config.bin %> webhooks status',
    '<%= config.bin %> webhooks status --journal postgres://dlv@one:5432,two:5432/dlv',
    "<%= config.bin %> webhooks status --jq '.pending[] | select(.oldestSeconds > 60)'",
  ]
  static override flags = journalFlag

  private journals!: Journals

  async run(): Promise<JournalStatusShown> {
    const { flags } = await this.parse(WebhookStatus)
    this.journals = new Journals(this.session, flags.journal)
    const place = await this.journals.place()
    const journal = isPostgresAddress(place) ? shownAddress(place, this.session.context.env) : place
    const reader = await this.journals.open()
    const { mark } = await this.journals.account(place)
    const status = { journal, ...(await reader.status()), pull: await lastPullOf(reader, mark) }
    await this.session.show(journalStatusView, status)
    return status
  }
}
