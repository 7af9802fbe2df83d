import { Args, Flags } from '@oclif/core'
import { repeatable } from '../../cli/command/repeatable.js'
import { parseTime } from '../../cli/input/durations.js'
import { unmaskFlag } from '../../cli/webhooks/flags.js'
import { logRow, receivedEventOf } from '../../cli/webhooks/journal-rows.js'
import { receivedEvent } from '../../cli/webhooks/replay-source.js'
import { WebhookCommand } from '../../cli/webhooks/webhook-command.js'
import { logList, type ReceivedEventInFull, receivedEventView } from '../../render/log-view.js'

export default class WebhookLog extends WebhookCommand {
  static override summary = 'List received webhooks, newest last, or show one in full.'
  static override description =
    'Names, phone numbers, addresses and links are masked. The journal keeps the original bytes.'
  static override examples = [
    '<%= config.bin %> webhooks log --since 1h',
    '<%= config.bin %> webhooks log evt_01ABC',
    '<%= config.bin %> webhooks log --delivery del_01ABC --all --json --unmask',
  ]
  static override args = { id: Args.string({ description: 'Event id, to show it in full', ignoreStdin: true }) }
  static override flags = {
    since: Flags.string({ summary: 'Received at or after', helpValue: 'TIME' }),
    type: Flags.string({
      summary: 'Only this type, or driver.*; repeatable',
      helpValue: 'TYPE',
      ...repeatable,
    }),
    delivery: Flags.string({ summary: 'Only this delivery', helpValue: 'ID' }),
    all: Flags.boolean({ char: 'a', summary: 'All events (default: the newest 50)' }),
    ...unmaskFlag,
  }

  async run(): Promise<ReceivedEventInFull | undefined> {
    const { args, flags } = await this.parse(WebhookLog)
    if (args.id !== undefined) {
      const journal = await this.journal()
      const event = receivedEvent(journal, args.id)
      const shown = receivedEventOf(event, journal.forwardsOf(event.seq), flags.unmask)
      await this.show(receivedEventView, shown)
      return shown
    }
    const events = (await this.journalIfAny())?.list({
      ...(flags.since === undefined ? {} : { sinceMs: Date.parse(parseTime(flags.since, '--since', this.nowMs())) }),
      ...(flags.type === undefined ? {} : { eventTypes: flags.type }),
      ...(flags.delivery === undefined ? {} : { deliveryId: flags.delivery }),
      ...(flags.all ? {} : { limit: 50 }),
    })
    const rows = async function* () {
      for (const event of events ?? []) yield logRow(event, flags.unmask)
    }
    await this.output.stream(logList, rows())
    return undefined
  }
}
