import { Flags } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.js'
import { yesFlag } from '../../cli/command/write-flags.js'
import { idsOf } from '../../cli/input/ids.js'
import { checkReceiver } from '../../cli/input/network-addresses.js'
import { journalFlag } from '../../cli/journal/place.js'
import { eventIdsArg, sendAgainFlags } from '../../cli/webhooks/flags.js'
import { Journals } from '../../cli/webhooks/journals.js'
import { routesOfProject } from '../../cli/webhooks/listener-account.js'
import { Secrets } from '../../cli/webhooks/secrets.js'
import { againCommand, mannerOf, refuseUnsigned, resendTargets, sendAgain } from '../../cli/webhooks/send-again.js'
import type { JournalReader } from '../../listener/index.js'
import { replayList } from '../../render/webhook-views.js'
import { targetName } from '../../shared/target-name.js'
import type { ReplayResult } from '../../webhooks/index.js'

export default class ResendWebhook extends BaseCommand {
  static override summary = 'Send received webhooks again (default: the newest one).'
  static override description =
    'Each event keeps its body and id and gets a new signature, since receivers reject one that is older than five minutes; --verbatim sends the old one. If one fails, the later events of its delivery are held back, the other deliveries continue, and the exit code is 9; the same command sends what is missing, even after a crash.'
  static override examples = [
    '<%= config.bin %> webhooks resend --to http://localhost:3000/hooks',
    '<%= config.bin %> webhooks resend evt_01ABC evt_01DEF --to http://localhost:3000/hooks',
    '<%= config.bin %> webhooks log --given-up -q | <%= config.bin %> webhooks resend - --to http://localhost:3000/hooks',
  ]
  static override args = { ids: eventIdsArg }
  static override flags = {
    to: Flags.string({ summary: "Receiver URL (default: the project file's routes)", helpValue: 'URL' }),
    ...sendAgainFlags,
    ...journalFlag,
    ...yesFlag,
  }

  private secrets!: Secrets
  private journals!: Journals

  async run(): Promise<ReplayResult[]> {
    const { args, flags } = await this.parse(ResendWebhook)
    this.secrets = new Secrets(this.session)
    this.journals = new Journals(this.session, flags.journal)
    if (flags.to !== undefined) checkReceiver(flags.to, '--to')
    const ids = await idsOf(this.session.context, this.session.notices, args.ids)
    if (ids === undefined) {
      await this.session.show(replayList, [])
      return []
    }
    const journal = await this.journals.open()
    const sends = await resendTargets(journal, ids, flags.to, await routesOfProject(this.session, flags.to))
    const where = sends.map(({ url }) => targetName(url)).join(' and ')
    if (!(await this.session.account.confirmOnProduction(`Post received events to ${where}`, flags.yes))) return []
    const signal = this.session.takeSignals()
    const manner = await mannerOf(this.secrets, flags)
    if (flags['secret-file'] === undefined) refuseUnsigned(sends, manner)
    return sendAgain(
      this.session,
      ['webhooks resend', ids, flags.verbatim],
      sends.map(({ url, events }) => ({ events, url, signal, ...manner })),
      (eventId, url) => this.noteDelivered(journal, eventId, url),
      (eventIds, url) => againCommand(eventIds, url, flags),
    )
  }

  /** An event that was given up for this target is so no longer. */
  private async noteDelivered(journal: JournalReader, eventId: string, url: string): Promise<void> {
    const event = await journal.get(eventId)
    const states = event === undefined ? [] : await journal.forwardsOf(event.seq)
    if (event === undefined || !states.some(({ state }) => state === 'given-up')) return
    const { recordResend } = await import('../../listener/index.js')
    await recordResend(await this.journals.place(), event.seq, url, this.session.context.env).catch((error: unknown) =>
      this.session.notices.warn(
        `${eventId} still counts as given up: ${error instanceof Error ? error.message : error}`,
      ),
    )
  }
}
