import { Flags } from '@oclif/core'
import { ArchiveReader, archivePaths, hasArchive } from '../../archive/index.js'
import { BaseCommand } from '../../cli/command/base-command.js'
import { yesFlag } from '../../cli/command/write-flags.js'
import { eventService } from '../../cli/events/event-service.js'
import { type EventFilters, eventFilterFlags, eventQuery } from '../../cli/events/filters.js'
import { archiveBefore, withKept } from '../../cli/events/kept-events.js'
import { eventsOfJournal, eventsOfService } from '../../cli/events/replay-source.js'
import { idsOf } from '../../cli/input/ids.js'
import { checkReceiver } from '../../cli/input/network-addresses.js'
import { journalFlag } from '../../cli/journal/place.js'
import { namedInJournal } from '../../cli/lookup/find-in-journal.js'
import { eventIdsArg, receiverFlag, sendAgainFlags } from '../../cli/webhooks/flags.js'
import { Journals } from '../../cli/webhooks/journals.js'
import { Secrets } from '../../cli/webhooks/secrets.js'
import { mannerOf, sendAgain } from '../../cli/webhooks/send-again.js'
import type { JournalReader } from '../../listener/index.js'
import { replayList } from '../../render/webhook-views.js'
import type { ReplayableEvent, ReplayResult } from '../../webhooks/index.js'

/** More ids than this are found faster in the service's list. */
const archivedIdsMax = 1_000

export default class ReplayEvents extends BaseCommand {
  static override summary = 'Sign past events again and post them to a receiver, in order.'
  static override description =
    'Each event keeps its id and gets a new signature, since receivers reject old ones. --verbatim sends the bytes and headers of the journal. If one fails, the later events of its delivery are held back, the other deliveries continue, and the exit code is 9; the same command sends what is missing, even after a crash. Events that the service has forgotten come from the archive (dlv sync), by their ids or by --since.'
  static override examples = [
    '<%= config.bin %> events replay --undelivered --since 1d --to http://localhost:3000/hooks',
    '<%= config.bin %> events replay evt_01ABC --to http://localhost:3000/hooks',
    '<%= config.bin %> webhooks gaps -q | <%= config.bin %> events replay - --to http://localhost:3000/hooks',
  ]
  static override args = { ids: eventIdsArg }
  static override flags = {
    ...eventFilterFlags,
    undelivered: Flags.boolean({ summary: 'Only events whose webhook never arrived', exclusive: ['verbatim'] }),
    to: receiverFlag,
    ...sendAgainFlags,
    ...journalFlag,
    ...yesFlag,
  }

  private secrets!: Secrets
  private journals!: Journals

  async run(): Promise<ReplayResult[]> {
    const { args, flags } = await this.parse(ReplayEvents)
    this.secrets = new Secrets(this.session)
    this.journals = new Journals(this.session, flags.journal)
    checkReceiver(flags.to, '--to')
    const ids = await idsOf(this.session.context, this.session.notices, args.ids)
    if (ids === undefined) {
      await this.session.show(replayList, [])
      return []
    }
    if (!(await this.session.account.confirmOnProduction(`Post past events to ${flags.to}`, flags.yes))) return []
    const signal = this.session.takeSignals()
    const events = flags.verbatim ? await this.fromJournal(ids, flags) : await this.fromService(ids, flags, signal)
    const manner = await mannerOf(this.secrets, flags)
    const { since, until, delivery, type, undelivered, verbatim } = flags
    return sendAgain(
      this.session,
      ['events replay', ids, since, until, delivery, type, undelivered, verbatim],
      [{ events, url: flags.to, signal, ...manner }],
    )
  }

  /** The journal knows when this machine received an event. */
  private async fromJournal(ids: readonly string[], flags: EventFilters) {
    const journal = await this.journals.open()
    const chosen = await eventQuery(flags, {
      notices: this.session.notices,
      serviceNow: async () => this.session.nowMs(),
      // A journal keeps events for longer than the service.
      hasOlder: async () => true,
      named: async (name) => namedInJournal(journal, name),
    })
    return eventsOfJournal(journal, ids, chosen)
  }

  private async fromService(ids: readonly string[], flags: EventFilters, signal: AbortSignal) {
    const client = await this.session.client({ signal })
    const service = eventService(client, this.session.clocks(client))
    let older: ArchiveReader | undefined
    const chosen = await eventQuery(flags, {
      notices: this.session.notices,
      serviceNow: service.nowMs,
      hasOlder: async (_, oldest) => {
        if (ids.length > 0) return false
        older = archiveBefore(this.config.dataDir, await this.session.account.dataName(), oldest)
        this.session.onClose(() => older?.close())
        return older !== undefined
      },
      named: (name) => this.session.named(name, client),
    })
    const journal = await this.journals.ifAny()
    const isFiltered = Object.values(chosen.query).some((value) => value !== undefined) || chosen.patterns !== undefined
    const kept = isFiltered ? undefined : await this.fromArchive(ids, journal)
    if (kept !== undefined) return kept
    const sources = { service, journal, warn: (text: string) => this.session.notices.warn(text) }
    const listed = eventsOfService(sources, ids, chosen)
    return older === undefined ? listed : withKept(older, sources, chosen, listed)
  }

  /** The events of these ids, if the archive has all of them: also those that the service has forgotten. */
  private async fromArchive(
    ids: readonly string[],
    journal: Pick<JournalReader, 'get'> | undefined,
  ): Promise<ReplayableEvent[] | undefined> {
    const paths = archivePaths(this.config.dataDir, await this.session.account.dataName())
    if (ids.length === 0 || ids.length > archivedIdsMax || !hasArchive(paths)) return undefined
    const archive = ArchiveReader.open(paths, { people: true })
    this.session.onClose(() => archive.close())
    const kept = archive.bodiesOf(ids)
    if (kept.length < new Set(ids).size) return undefined
    // A receiver gets the bytes that it got before.
    return Promise.all(kept.map(async ({ id, body }) => ({ id, body: (await journal?.get(id))?.body ?? body })))
  }
}
