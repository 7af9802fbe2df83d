import { Flags } from '@oclif/core'
import type { ArchiveReader } from '../../archive/index.js'
import { freshFlag, openCurrent } from '../../cli/archive/current.js'
import { BaseCommand } from '../../cli/command/base-command.js'
import { archivedOf } from '../../cli/deliveries/listing/archived.js'
import { Installations, needsDetails, readOf, type SentFactsOf } from '../../cli/deliveries/listing/details.js'
import { type Listing, listingFlags, listingOf, withSortKey } from '../../cli/deliveries/listing/filters.js'
import { comparing, sortedOf, worstFirst } from '../../cli/deliveries/listing/sorting.js'
import { itemsOf } from '../../cli/deliveries/listing/source.js'
import { eventService } from '../../cli/events/event-service.js'
import { parseTime } from '../../cli/input/durations.js'
import { listed, listedRows, listFlags, mostRows } from '../../cli/output/paged-list.js'
import { exitCodes } from '../../cli/process/exit-codes.js'
import { judgingFlags, judgingOf, stuckText } from '../../cli/report/judging.js'
import { affectingChange } from '../../cli/webhooks/affecting-change.js'
import { createPacer } from '../../client/index.js'
import { isResponseField, type KnownDeliveryStatus, UsageError } from '../../contract/index.js'
import { deliveryListWith, totalsText } from '../../render/delivery-view.js'
import { sentColumns } from '../../render/sent-order.js'
import type { SentLedger } from '../../sent/index.js'
import { lateMeans } from '../../trade/promise.js'

export default class ListDeliveries extends BaseCommand {
  static override readsSeveral = true
  static override wordsOf = withSortKey
  static override summary = 'List deliveries, newest first.'
  static override description = [
    'The service filters by time, reference and status. --store, --installation, --search, --problem, --with and --columns with a field that only a whole delivery has answer from the archive (dlv sync), after fetching what is new; the first time, the period that is asked for. --fresh no answers from the archive alone. Without the service it answers too and says how old it is; --exit-code and --fresh yes then end with the exit code of the failed request, such as 8, unless --exit-code has found any.',
    'Statuses and groups add up: --active --status failed shows both. --problem is failed, dispatch_failed, reassigning, expired, return_in_progress, what a carrier cancelled, and what is stuck or late, with the reason in words, the worst first: what did not arrive, then what is late, the latest first, then what is stuck; what ended over a day ago comes last. --search without --from looks through all that the archive keeps; other lists are of the last 24 hours. --sort orders times newest first, statuses by the lifecycle and the others by the alphabet; - in front reverses; it reads the whole period.',
    `${lateMeans} ${stuckText}`,
    'A service may not return installations. --installation and --affected then find orders that were sent from this machine, say so, and exit 9 if there are others.',
    '--with sent adds the window and the package of orders that were sent from this machine, which a service may not return.',
    '--affected takes an installation.access_policy_changed event: what is under way or scheduled for its installation and has something in its way by that change, as far as windows and ETAs are known here, with the obstacle. -o json has the commands for what can be done.',
  ].join('\n\n')
  static override examples = [
    '<%= config.bin %> deliveries list --from 2h',
    '<%= config.bin %> deliveries list --from yesterday --status failed,cancelled --with reason,store',
    '<%= config.bin %> deliveries list --active --sort updated',
    '<%= config.bin %> deliveries list --problem --with reason,driver,eta',
    '<%= config.bin %> deliveries list --affected evt_01ABC',
    '<%= config.bin %> deliveries list --search "maya reyes"',
    '<%= config.bin %> deliveries list --from 30d --all -o csv > deliveries.csv',
    '<%= config.bin %> deliveries list --ref ORDER-1001',
  ]
  static override flags = {
    from: Flags.string({
      summary: 'Created at or after: 2h, 3d, yesterday (default 24h)',
      helpValue: 'TIME',
    }),
    to: Flags.string({ summary: 'Created before (default now)', helpValue: 'TIME' }),
    ...listingFlags,
    ...judgingFlags,
    fresh: freshFlag(),
    'exit-code': Flags.boolean({ summary: 'Exit 9 if there are any, for cron' }),
    ref: Flags.string({ summary: 'Only the one with this clientOrderReference', helpValue: 'REFERENCE' }),
    ...listFlags,
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(ListDeliveries, withSortKey(this.argv))
    const given = listingOf(flags, this.session.notices)
    const client = await this.session.client({ limit: 'listing', pacer: createPacer() })
    const change =
      flags.affected === undefined
        ? undefined
        : await affectingChange(client, eventService(client, this.session.clocks(client)), flags.affected)
    const installation = change?.installation.code ?? (await this.codeOf(given.installation))
    const listing = { ...given, installation, active: given.active || change !== undefined }
    const isGroup = listing.active || listing.problem
    // A policy also applies to orders that were scheduled long ago.
    const from = flags.from ?? (change === undefined ? '24h' : '30d')
    const columns = this.session.output.isJson ? [] : (this.session.output.choices.columns ?? [])
    const beyond = columns.filter(
      (name) => !isResponseField(name, ['listDeliveries']) && isResponseField(name, ['getDelivery']),
    )
    const needsMore = needsDetails({ listing, columns: beyond })
    const isArchived = flags.ref === undefined && (needsMore || flags.fresh === 'no')
    const archive = isArchived
      ? await openCurrent({
          ...(await this.session.archiveParts(client)),
          output: this.session.output,
          isFresh: flags.fresh !== 'no',
          fromMs: (serviceNowMs) => Date.parse(parseTime(from, '--from', serviceNowMs)),
          people: true,
          onStale: this.session.onStale,
        })
      : undefined
    this.session.onClose(() => archive?.close())
    // Both are answered by the archive at once, whatever their age: problems are the rows of its view.
    const looksEverywhere = listing.search !== undefined || (listing.problem && !listing.active)
    const searchesAll = archive !== undefined && looksEverywhere && flags.from === undefined && flags.to === undefined
    if (listing.search !== undefined && archive?.hasPeople === false)
      this.session.notices.warn(
        'The archive holds no names, phone numbers and addresses: only references were searched.',
      )
    const nowMs =
      archive === undefined
        ? await this.session.nowMsFor(client, ...(flags.ref === undefined ? [from, flags.to] : needsMore ? ['0s'] : []))
        : this.session.nowMs() + archive.clockAheadMs
    const span = {
      from: parseTime(from, '--from', nowMs),
      ...(flags.to === undefined ? {} : { to: parseTime(flags.to, '--to', nowMs) }),
    }
    const view = deliveryListWith(
      [...(listing.problem ? ['problem'] : []), ...listing.parts, ...(change === undefined ? [] : ['obstacle'])],
      sentColumns,
    )
    const ledger = await this.session.account.sentIfAny()
    const judging =
      listing.problem || change !== undefined ? await judgingOf(flags, this.session.context, ledger?.read()) : {}
    const installations = installation === undefined ? undefined : installationsOf(ledger)
    const query = flags.ref === undefined ? span : { clientOrderReference: flags.ref }
    const counts = new Map<string, number>()
    const onRow = ({ status }: { status: string }) => void counts.set(status, (counts.get(status) ?? 0) + 1)
    const lastLine = () => totalsText(counts, this.session.output.style)
    const isDoneHere = isGroup || listing.statuses.length > 1 || needsMore || isArchived || listing.sort !== undefined
    if (isDoneHere) {
      if (flags.cursor !== undefined)
        throw new UsageError('--cursor continues a list of the service, not one that is filtered or sorted here.', {
          hint: 'Use --all, a larger --limit, or --to with the time of the last delivery.',
        })
      const common = {
        listing,
        nowMs,
        judging,
        columns: beyond,
        installations,
        change,
        sent: sentOf(listing, ledger),
      }
      const chosen =
        archive === undefined
          ? readOf(itemsOf(client, query, listing), { client, ...common })
          : archivedOf({
              archive,
              fromMs: searchesAll ? undefined : Date.parse(span.from),
              toMs: span.to === undefined ? undefined : Date.parse(span.to),
              read: (deliveryId) => client.getDelivery({ deliveryId }),
              ...common,
            })
      const most = mostRows(flags)
      const compare = listing.sort === undefined ? listing.problem && worstFirst : comparing(listing.sort)
      let total: number | undefined
      const counted = (count: number) => {
        total = count
      }
      const ordered = compare ? sortedOf(chosen, compare, most + 1, counted) : chosen
      const rows = (async function* () {
        for await (const one of ordered) yield one.complete()
      })()
      await listedRows(this.session.output, this.session.notices, {
        view,
        rows,
        flags,
        end: 'first',
        total: () => (listing.problem ? total : undefined),
        onRow,
        lastLine,
      })
      if (installations?.doubt !== undefined) {
        this.session.notices.warn(`${installations.doubt}.`)
        this.session.endWith(exitCodes.otherOutcome)
      }
    } else {
      const [status] = listing.statuses
      const service = { ...query, ...(status === undefined ? {} : { status: status as KnownDeliveryStatus }) }
      await listed(this.session.output, this.session.notices, {
        view,
        flags,
        open: (page) => client.pages('listDeliveries', { ...service, ...page }),
        rowsOf: ({ deliveries }) => deliveries,
        onRow,
        lastLine,
        typed: this.session.words,
        times: span,
      })
    }
    const isEmpty = counts.size === 0 && !this.session.output.choices.quiet
    if (searchesAll && isEmpty)
      this.session.notices.notice(`${sinceText(archive)}; an earlier --from looks further back.`)
    const isFiltered = isGroup || [...listing.statuses, listing.store, listing.installation].some(Boolean)
    const isDefault = flags.from === undefined && flags.ref === undefined && change === undefined
    if (isFiltered && isDefault && !searchesAll && (isEmpty || this.session.output.forPeople))
      this.session.notices.notice('Only deliveries created in the last 24h; --from 7d looks further back.')
    if (flags['exit-code'] && counts.size > 0) this.session.endWith(exitCodes.otherOutcome)
    this.session.endIfStale(flags['exit-code'] ? '--exit-code' : flags.fresh === 'yes' ? '--fresh yes' : undefined)
  }
  /** The code of the installation that `--installation` names. */
  private async codeOf(text: string | undefined): Promise<string | undefined> {
    if (text === undefined) return undefined
    const { InstallationNames } = await import('../../cli/installations/order-names.js')
    const names = new InstallationNames(this.session)
    return names.codeFor(text, '--installation', (said) => this.session.notices.notice(said))
  }
}

/** The installations that orders were sent to from here, because a service may not return them. */
function installationsOf(ledger: SentLedger | undefined): Installations {
  return new Installations(ledger?.read().installations ?? new Map(), (name) => ledger?.deliveryOf(name) !== undefined)
}

function sinceText({ periods }: ArchiveReader): string {
  return `The archive begins at ${new Date(periods[0]?.fromMs ?? 0).toISOString()}`
}

function sentOf({ parts }: Listing, ledger: SentLedger | undefined): SentFactsOf {
  const facts = parts.includes('sent') ? ledger?.read().facts : undefined
  return ({ clientOrderReference }) => facts?.(clientOrderReference ?? '') ?? null
}
