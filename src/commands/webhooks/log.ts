import { Flags } from '@oclif/core'
import { parseTime } from '../../cli/durations.js'
import { logRow } from '../../cli/journal-rows.js'
import { WebhookCommand } from '../../cli/webhook-command.js'
import { logList } from '../../render/log-view.js'

export default class WebhookLog extends WebhookCommand {
  static override summary = 'What listeners have received here, newest last.'
  static override examples = [
    '<%= config.bin %> webhooks log --since 1h',
    '<%= config.bin %> webhooks log --delivery del_01ABC --all --json',
  ]
  static override flags = {
    since: Flags.string({ summary: 'Received at or after', helpValue: 'TIME' }),
    type: Flags.string({
      summary: 'Of this type, or driver.*; repeatable',
      helpValue: 'TYPE',
      multiple: true,
      multipleNonGreedy: true,
    }),
    delivery: Flags.string({ summary: 'Of this delivery alone', helpValue: 'ID' }),
    all: Flags.boolean({ char: 'a', summary: 'All of them (default: the newest 50)' }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(WebhookLog)
    const { readJournal } = await import('../../listener/index.js')
    const journal = readJournal(await this.journalFile())
    this.onClose(() => journal.close())
    const events = journal.list({
      ...(flags.since === undefined ? {} : { sinceMs: Date.parse(parseTime(flags.since, '--since', Date.now())) }),
      ...(flags.type === undefined ? {} : { eventTypes: flags.type }),
      ...(flags.delivery === undefined ? {} : { deliveryId: flags.delivery }),
      ...(flags.all ? {} : { limit: 50 }),
    })
    const rows = async function* () {
      for (const event of events) yield logRow(event)
    }
    await this.output.stream(logList, rows())
  }
}
