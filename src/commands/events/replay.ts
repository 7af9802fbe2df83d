import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { Args, Flags } from '@oclif/core'
import { eventFilterFlags, eventQuery } from '../../cli/event-filters.js'
import { exitCodes } from '../../cli/exit-codes.js'
import { idsOf } from '../../cli/ids.js'
import { takeSignals } from '../../cli/interruption.js'
import { checkReceiver } from '../../cli/receiver-address.js'
import { replayable } from '../../cli/replay-source.js'
import { WebhookCommand } from '../../cli/webhook-command.js'
import { yesFlag } from '../../cli/write-flags.js'
import { replayList } from '../../render/replay-view.js'
import { cursorFile, type ReplayResult, replayEvents } from '../../webhooks/index.js'

export default class ReplayEvents extends WebhookCommand {
  static override summary = 'Sign past events again and post them to a receiver, in order.'
  static override description =
    'The id stays, the signature is new: a receiver refuses old ones. --verbatim sends bytes and headers as they were, out of the journal. Stops at the first event that is not taken (9); the same command goes on there.'
  static override examples = [
    '<%= config.bin %> events replay --undelivered --since 1d --to http://localhost:3000/hooks',
    '<%= config.bin %> events replay evt_01ABC --to http://localhost:3000/hooks',
    '<%= config.bin %> webhooks gaps -q | <%= config.bin %> events replay - --to http://localhost:3000/hooks',
  ]
  static override args = {
    ids: Args.string({ description: 'Event ids, or - for ids from standard input', ignoreStdin: true, multiple: true }),
  }
  static override flags = {
    ...eventFilterFlags,
    undelivered: Flags.boolean({ summary: 'Those whose webhook never arrived' }),
    to: Flags.string({ summary: 'Address of the receiver', helpValue: 'URL', required: true }),
    'secret-file': Flags.string({
      summary: 'Secret to sign with; repeatable',
      helpValue: 'FILE',
      multiple: true,
      multipleNonGreedy: true,
    }),
    verbatim: Flags.boolean({ summary: 'Bytes and headers as they were received' }),
    rate: Flags.integer({ summary: 'Events per second at most', min: 1 }),
    ...yesFlag,
  }

  async run(): Promise<ReplayResult[]> {
    const { args, flags } = await this.parse(ReplayEvents)
    checkReceiver(flags.to, '--to')
    const ids = await idsOf(args.ids)
    if (!(await this.confirmOnProduction(`Post past events to ${flags.to}`, flags.yes))) return []
    const signal = takeSignals()
    const query = { ...eventQuery(flags, this.notices, Date.now()), ...(flags.undelivered ? { delivered: false } : {}) }
    const source = flags.verbatim ? { journalFile: await this.journalFile() } : { client: await this.api({ signal }) }
    const mark = createHash('sha256')
      .update(JSON.stringify([flags.to, ids, flags.since, flags.until, flags.delivery, flags.type]))
      .digest('hex')
      .slice(0, 16)
    const results: ReplayResult[] = []
    const summary = await replayEvents({
      events: await replayable(source, ids, query),
      url: flags.to,
      sign: flags.verbatim
        ? 'verbatim'
        : { secrets: (await this.secrets(flags['secret-file'])).map(({ secret }) => secret) },
      signal,
      onResult: (result) => results.push(result),
      ...(ids.length > 0 ? {} : { cursor: cursorFile(join(this.config.dataDir, 'replays', `${mark}.cursor`)) }),
      ...(flags.rate === undefined ? {} : { eventsPerSecond: flags.rate }),
    })
    await this.show(replayList, results)
    this.notices.notice(`${summary.delivered} delivered${summary.skipped > 0 ? `, ${summary.skipped} before` : ''}.`)
    if (summary.stoppedAt !== undefined) {
      this.notices.warn(
        `${summary.stoppedAt.eventId} was not taken: ${summary.stoppedAt.error ?? `HTTP ${summary.stoppedAt.status}`}. The rest waits; the same command goes on.`,
      )
      this.endWith(exitCodes.otherOutcome)
    }
    return results
  }
}
