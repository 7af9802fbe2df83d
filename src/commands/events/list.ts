import { Flags } from '@oclif/core'
import type { ArchiveReader } from '../../archive/index.js'
import { BaseCommand } from '../../cli/command/base-command.js'
import { eventService } from '../../cli/events/event-service.js'
import { eventFilterFlags, eventQuery, ofTypes } from '../../cli/events/filters.js'
import { type ListFlags, listed, listedRows, listFlags, mostRows } from '../../cli/output/paged-list.js'
import { createPacer } from '../../client/index.js'
import { newestFirst } from '../../client/internal.js'
import { type EventRecord, limits, UsageError } from '../../contract/index.js'
import { eventList } from '../../render/event-view.js'

export default class ListEvents extends BaseCommand {
  static override readsSeveral = true
  static override looksUp = 'profile' as const
  static override namesIn = (_: object, flags: Readonly<Record<string, unknown>>) =>
    typeof flags.delivery === 'string' ? [flags.delivery] : []

  static override summary = 'List past events, of the service and of the archive.'
  static override description =
    'The service keeps events for 30 days; a --since before that takes the older ones from the archive (dlv sync), if there is one. Begins with the newest event on a terminal; in a pipe, and for -o json, ndjson and csv, with the oldest, as the service does. --newest and --oldest choose.'
  static override examples = [
    '<%= config.bin %> events list --since 2h',
    '<%= config.bin %> events list --newest --limit 10 -o ndjson',
    '<%= config.bin %> events list --undelivered --all -q',
    '<%= config.bin %> events list --limit 100 --cursor CURSOR',
    '<%= config.bin %> events list --delivery del_01ABC --type delivery.delivered',
  ]
  static override flags = {
    ...eventFilterFlags,
    since: Flags.string({
      summary: 'At or after (default 24h, or 30d with --delivery)',
      description: 'Such as 2h, 3d, yesterday or RFC 3339.',
      helpValue: 'TIME',
    }),
    delivered: Flags.boolean({ summary: 'Only events whose webhook arrived', exclusive: ['undelivered'] }),
    undelivered: Flags.boolean({ summary: 'Only events whose webhook never arrived' }),
    newest: Flags.boolean({ summary: 'Newest first (default on a terminal)', exclusive: ['cursor', 'oldest'] }),
    oldest: Flags.boolean({ summary: 'Oldest first (default elsewhere)' }),
    ...listFlags,
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(ListEvents)
    const client = await this.session.client({ limit: 'listing', pacer: createPacer() })
    const serviceNow = eventService(client, this.session.clocks(client)).nowMs
    let archive: ArchiveReader | undefined
    const { query, patterns, tooOld } = await eventQuery(flags, {
      notices: this.session.notices,
      serviceNow,
      hasOlder: async (_, oldest) => {
        if (flags.cursor !== undefined) return false
        const { archiveBefore } = await import('../../cli/events/kept-events.js')
        archive = archiveBefore(this.config.dataDir, await this.session.account.dataName(), oldest)
        return archive !== undefined
      },
      named: (name) => this.session.named(name, client),
      looksBack: flags.cursor === undefined,
    })
    const isNewestFirst = flags.newest || (!flags.oldest && flags.cursor === undefined && this.session.output.forPeople)
    if (archive !== undefined && tooOld !== undefined && query.since !== undefined) {
      const { keptEvents, warnOfLacking } = await import('../../cli/events/kept-events.js')
      const period = { since: tooOld, until: String(query.since) }
      const kept = keptEvents(archive, query, period, isNewestFirst ? 'newest' : 'oldest')
      this.session.onClose(() => archive?.close())
      warnOfLacking(archive, period, (text) => this.session.notices.warn(text))
      const listed = isNewestFirst
        ? chained(newestFirst(client, query, { wanted: mostRows(flags), nowMs: serviceNow }), kept)
        : chained(kept, client.each('listEvents', { ...query, limit: limits.pageSizeMax }))
      const rows = ofTypes(listed, patterns)
      const end = isNewestFirst ? 'newest' : 'first'
      return this.showRows(flags, rows, end, isNewestFirst)
    }
    if (isNewestFirst) {
      const newest = newestFirst(client, query, { wanted: mostRows(flags), nowMs: serviceNow })
      return this.showRows(flags, ofTypes(newest, patterns), 'newest', true)
    }
    if (patterns !== undefined) {
      if (flags.cursor !== undefined)
        throw new UsageError('--cursor continues a list of the service, not one that is filtered here.', {
          hint: 'Name the types without a star, or use --since with the time of the last event.',
        })
      const rows = ofTypes(client.each('listEvents', { ...query, limit: limits.pageSizeMax }), patterns)
      return this.showRows(flags, rows, 'first', false)
    }
    await listed(this.session.output, this.session.notices, {
      view: eventList,
      flags,
      open: (page) => client.pages('listEvents', { ...query, ...page }),
      rowsOf: ({ events }) => events,
      typed: this.session.words,
      times: { since: query.since, until: query.until },
      order: { flag: 'since', timeOf: ({ occurredAt }) => occurredAt, idOf: ({ eventId }) => eventId },
    })
  }

  /** Prints events that are chosen here, by whose time those of several accounts are merged. */
  private showRows(
    flags: ListFlags,
    rows: AsyncIterable<EventRecord>,
    end: 'first' | 'newest',
    isNewestFirst: boolean,
  ): Promise<void> {
    const atMs = ({ occurredAt }: EventRecord) => Date.parse(occurredAt ?? '') || 0
    const compare = (one: EventRecord, other: EventRecord) => (isNewestFirst ? -1 : 1) * (atMs(one) - atMs(other))
    const shownOf = (event: EventRecord) => event
    return listedRows(this.session.output, this.session.notices, {
      view: eventList,
      rows,
      shownOf,
      flags,
      end,
      compare,
    })
  }
}

async function* chained<Row>(...lists: (AsyncIterable<Row> | Iterable<Row>)[]): AsyncGenerator<Row> {
  for (const list of lists) yield* list
}
