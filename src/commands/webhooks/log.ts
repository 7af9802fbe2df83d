import { Args, Flags } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.js'
import { repeatable } from '../../cli/command/write-flags.js'
import { receivedEvent, unknownReceivedEvent } from '../../cli/events/replay-source.js'
import { parseEventTypePattern } from '../../cli/input/contract-words.js'
import { parseTime } from '../../cli/input/times.js'
import { journalFlag } from '../../cli/journal/place.js'
import { namedInJournal } from '../../cli/lookup/find-in-journal.js'
import { evidenceOf, printExport } from '../../cli/webhooks/exported.js'
import { unmaskFlag } from '../../cli/webhooks/flags.js'
import { logRow, newestOfAll, receivedEventOf } from '../../cli/webhooks/hotkeys.js'
import { Journals } from '../../cli/webhooks/journals.js'
import { UsageError } from '../../contract/index.js'
import { logList, type ReceivedEventInFull, receivedEventView } from '../../render/event-view.js'
import { exportFormats } from '../../webhooks/internal.js'

export default class WebhookLog extends BaseCommand {
  static override readsSeveral = true
  static override summary = 'List received webhooks, newest last, or show one in full.'
  static override description =
    'Names, phone numbers, addresses and links are masked. Each profile has its own journal, and without one each base URL and key. The journal keeps the original bytes, and --as prints them: as a raw HTTP request, a HAR file, a command for curl, fish or PowerShell, a fixture, or a test in JavaScript. An event that was not received here is taken from the events that the service keeps, and signed.'
  static override examples = [
    '<%= config.bin %> webhooks log --since 1h',
    '<%= config.bin %> webhooks log evt_01ABC',
    '<%= config.bin %> webhooks log evt_01ABC --as vitest > tests/evt_01ABC.test.ts',
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
    delivery: Flags.string({ summary: 'Only this delivery', helpValue: 'ID|REFERENCE' }),
    'given-up': Flags.boolean({ summary: 'Only those that a forward target did not get, all of them' }),
    limit: Flags.integer({ char: 'l', summary: 'The newest N events (default 50)', helpValue: 'N', min: 1 }),
    all: Flags.boolean({ char: 'a', summary: 'All events', exclusive: ['limit'] }),
    as: Flags.option({
      summary: 'Print the event, unmasked, in this format',
      helpValue: 'FORMAT',
      options: exportFormats,
      exclusive: ['since', 'type', 'delivery', 'given-up', 'limit', 'all'],
    })(),
    ...unmaskFlag,
    ...journalFlag,
  }

  async run(): Promise<ReceivedEventInFull | undefined> {
    const { args, flags } = await this.parse(WebhookLog)
    const journals = new Journals(this.session, flags.journal)
    if (flags.as !== undefined) {
      if (args.id === undefined)
        throw new UsageError(`--as ${flags.as} needs the id of an event.`, {
          hint: 'dlv webhooks log --all -q lists the received ones, dlv events list -q those of the service.',
        })
      await printExport(this.session, await evidenceOf(this.session, journals, args.id), flags.as)
      return undefined
    }
    const journal = await (flags.journal === undefined ? journals.ifAny() : journals.open())
    if (args.id !== undefined) {
      if (journal === undefined)
        throw unknownReceivedEvent(args.id, 'No webhooks were received yet; dlv webhooks listen receives them.')
      const event = await receivedEvent(journal, args.id)
      const shown = receivedEventOf(event, await journal.forwardsOf(event.seq), flags.unmask)
      await this.session.show(receivedEventView, shown)
      return shown
    }
    if (journal !== undefined && !this.session.output.isJson) await journals.sayOwn()
    const filters = {
      ...(flags.since === undefined
        ? {}
        : { sinceMs: Date.parse(parseTime(flags.since, '--since', this.session.nowMs())) }),
      ...(flags['given-up'] ? { givenUp: true } : {}),
      ...(flags.type === undefined
        ? {}
        : { eventTypes: flags.type.map((type) => parseEventTypePattern(type, '--type', this.session.notices)) }),
    }
    const named =
      flags.delivery === undefined || journal === undefined ? undefined : await namedInJournal(journal, flags.delivery)
    const limit = limitOf(flags)
    const events = journal?.list({ ...filters, ...named, ...limit })
    const rows = async function* () {
      for await (const event of events ?? []) yield logRow(event, flags.unmask)
    }
    const isFiltered =
      flags.since !== undefined || flags['given-up'] || flags.type !== undefined || flags.delivery !== undefined
    const empty = 'No received webhooks match these filters.'
    await this.session.output.stream(isFiltered ? { ...logList, empty } : logList, rows(), newestOfAll(limit))
    return undefined
  }
}

/** All given-up events are listed unless a limit is set, because they are listed in order to be sent again. */
function limitOf(flags: { all: boolean; 'given-up': boolean; limit?: number | undefined }): { limit?: number } {
  if (flags.limit !== undefined) return { limit: flags.limit }
  return flags.all || flags['given-up'] ? {} : { limit: 50 }
}
