import { Flags } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.js'
import { eventService } from '../../cli/events/event-service.js'
import { eventQuery } from '../../cli/events/filters.js'
import { listedEvents } from '../../cli/events/replay-source.js'
import { journalFlag } from '../../cli/journal/place.js'
import { exitCodes } from '../../cli/process/exit-codes.js'
import { Journals } from '../../cli/webhooks/journals.js'
import type { Gap } from '../../listener/index.js'
import { gapList } from '../../render/event-view.js'
import { shellWord } from '../../shared/command-words.js'

export default class WebhookGaps extends BaseCommand {
  static override readsSeveral = true
  static override summary = 'List events that the service sent and the journal lacks. Exits 9 if there are any.'
  static override examples = [
    '<%= config.bin %> webhooks gaps --since 2d',
    '<%= config.bin %> webhooks gaps -q | <%= config.bin %> events replay - --to http://localhost:3000/hooks',
  ]
  static override flags = {
    since: Flags.string({ summary: 'How far back (default 24h)', helpValue: 'TIME' }),
    ...journalFlag,
  }

  private journals!: Journals

  async run(): Promise<Gap[]> {
    const { flags } = await this.parse(WebhookGaps)
    this.session.output.checkColumns(gapList, 'profile')
    this.journals = new Journals(this.session, flags.journal)
    const { findGaps } = await import('../../listener/index.js')
    const ofProfile = async () => (await this.journals.ifAny()) ?? { has: async () => new Set<string>() }
    const journal = await (flags.journal === undefined ? ofProfile() : this.journals.open())
    const client = await this.session.client({ limit: 'listing' })
    const service = eventService(client, this.session.clocks(client))
    const gaps: Gap[] = []
    const { query } = await eventQuery(flags, { notices: this.session.notices, serviceNow: service.nowMs })
    const events = listedEvents(service, query, (text) => this.session.notices.warn(text))
    for await (const gap of findGaps(journal, events)) gaps.push(gap)
    await this.session.show(gapList, gaps)
    if (gaps.length > 0) {
      const list = ['dlv', ...this.session.words].map(shellWord).join(' ')
      const what = `${gaps.length.toLocaleString('en-US')} missing ${gaps.length === 1 ? 'event' : 'events'}`
      if (!flags.quiet) this.session.notices.notice(`${what}. To replay: ${list} -q | dlv events replay - --to URL`)
      this.session.endWith(exitCodes.otherOutcome)
    }
    return gaps
  }
}
