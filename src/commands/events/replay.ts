import { hash } from 'node:crypto'
import { join } from 'node:path'
import { Flags } from '@oclif/core'
import { yesFlag } from '../../cli/command/write-flags.js'
import { eventFilterFlags, eventQuery } from '../../cli/events/filters.js'
import { idsOf } from '../../cli/input/ids.js'
import { checkReceiver } from '../../cli/input/receiver-address.js'
import { takeSignals } from '../../cli/process/signals.js'
import { eventIdsArg, receiverFlag, sendAgainFlags } from '../../cli/webhooks/flags.js'
import { eventsOfJournal, eventsOfService } from '../../cli/webhooks/replay-source.js'
import { WebhookCommand } from '../../cli/webhooks/webhook-command.js'
import { cursorFile, type ReplayResult } from '../../webhooks/index.js'

export default class ReplayEvents extends WebhookCommand {
  static override summary = 'Sign past events again and post them to a receiver, in order.'
  static override description =
    'The id stays, the signature is new: a receiver refuses old ones. --verbatim sends bytes and headers as they were, out of the journal. Stops at the first event that is not taken (9); the same command goes on there, also after a crash.'
  static override examples = [
    '<%= config.bin %> events replay --undelivered --since 1d --to http://localhost:3000/hooks',
    '<%= config.bin %> events replay evt_01ABC --to http://localhost:3000/hooks',
    '<%= config.bin %> webhooks gaps -q | <%= config.bin %> events replay - --to http://localhost:3000/hooks',
  ]
  static override args = { ids: eventIdsArg }
  static override flags = {
    ...eventFilterFlags,
    undelivered: Flags.boolean({ summary: 'Those whose webhook never arrived', exclusive: ['verbatim'] }),
    to: receiverFlag,
    ...sendAgainFlags,
    ...yesFlag,
  }

  async run(): Promise<ReplayResult[]> {
    const { args, flags } = await this.parse(ReplayEvents)
    checkReceiver(flags.to, '--to')
    const ids = await idsOf(args.ids)
    if (!(await this.confirmOnProduction(`Post past events to ${flags.to}`, flags.yes))) return []
    const signal = takeSignals()
    const query = eventQuery(flags, this.notices, Date.now())
    const events = flags.verbatim
      ? eventsOfJournal(await this.journal(), ids, query)
      : eventsOfService(await this.api({ signal }), await this.journalIfAny(), ids, query)
    const manner = await this.mannerOf(flags)
    const { since, until, delivery, type, undelivered, verbatim } = flags
    const asked = [await this.profileName(), flags.to, since, until, delivery, type, undelivered, verbatim]
    const mark = hash('sha256', JSON.stringify(asked), 'hex').slice(0, 16)
    return this.sendAgain(
      [
        {
          events,
          url: flags.to,
          signal,
          ...manner,
          ...(ids.length > 0 ? {} : { cursor: cursorFile(join(this.config.dataDir, 'replays', `${mark}.cursor`)) }),
        },
      ],
      ids.length > 0 ? 'The rest was not sent.' : 'The rest waits; the same command goes on.',
    )
  }
}
