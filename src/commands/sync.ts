import { Flags } from '@oclif/core'
import {
  type ArchiveWriter,
  archivePaths,
  backfillArchive,
  type Filled,
  type FillProgress,
  type FollowOptions,
  fillArchive,
  followArchive,
  openArchive,
  postgresArchive,
  takeOrders,
  type WrittenPage,
  warnOf,
} from '../archive/index.js'
import { archiveService, journalPages } from '../cli/archive/archive-service.js'
import { BaseCommand } from '../cli/command/base-command.js'
import { repeatable } from '../cli/command/write-flags.js'
import { databaseAddress } from '../cli/input/addresses.js'
import { parseDurationMs, parseTime } from '../cli/input/durations.js'
import { UnknownReferenceError } from '../cli/naming/failure.js'
import { Outage } from '../cli/output/outage.js'
import { progressLine } from '../cli/output/progress-line.js'
import { Journals } from '../cli/webhooks/journals.js'
import { createPacer } from '../client/index.js'
import { DlvError } from '../contract/index.js'
import { type SyncShown, syncLine, syncView } from '../render/progress-lines.js'
import { minuteMs } from '../shared/durations.js'
import { capGarbage, capYoungGeneration } from '../shared/young-generation.js'

export default class Sync extends BaseCommand {
  static override readsSeveral = true
  static override summary = "Copy the account's deliveries and events into a database file on this machine."
  static override description =
    "The service forgets events after 30 days; the archive keeps them, for dlv query, reports, searches and the board. Each run fetches what is new; one that ends early continues where it stopped. Names, phone numbers, addresses and the events' own JSON are in a second file beside it, which --no-personal removes and never writes again. --backfill fetches the deliveries from before the events, one request each. --forget and --older remove personal data, also from later runs; the figures stay. --to copies what changed into a PostgreSQL database that a team shares, for dlv query --to and every other program."
  static override examples = [
    '<%= config.bin %> sync',
    '<%= config.bin %> sync --follow',
    '<%= config.bin %> sync --backfill 2026-01-01',
    '<%= config.bin %> sync --forget del_01ABC',
    '<%= config.bin %> sync --to postgres://dlv@db.example.com/dlv',
  ]
  static override flags = {
    from: Flags.string({ summary: 'Start of the events', helpValue: 'TIME', default: '30d' }),
    backfill: Flags.string({ summary: 'Fetch older deliveries, back to this time', helpValue: 'TIME' }),
    follow: Flags.boolean({ summary: 'Stay and keep the archive current' }),
    journal: Flags.string({ summary: 'Read the events of a journal, too', helpValue: 'FILE|postgres://…' }),
    to: Flags.string({ summary: 'Copy the archive into a database, too', helpValue: 'postgres://…' }),
    keep: Flags.string({ summary: 'Drop what is older than this', helpValue: 'DURATION' }),
    personal: Flags.boolean({ summary: 'Keep names, phone numbers and addresses (default)', allowNo: true }),
    forget: Flags.string({
      summary: 'Remove personal data of a delivery; repeatable',
      helpValue: 'DELIVERY',
      ...repeatable,
    }),
    older: Flags.string({ summary: 'Remove personal data older than this', helpValue: 'DURATION' }),
  }

  private writer!: ArchiveWriter
  private added = 0
  /** Copies what has changed to the database of `--to`. */
  private copy = async (_isForgetting?: boolean) => {}

  private journals!: Journals

  async run(): Promise<SyncShown> {
    const { flags } = await this.parse(Sync)
    this.journals = new Journals(this.session, flags.journal)
    const to = flags.to === undefined ? undefined : databaseAddress(flags.to)
    const [keepMs, olderMs] = [durationOf(flags.keep, '--keep'), durationOf(flags.older, '--older')]
    const paths = archivePaths(this.config.dataDir, await this.session.account.dataName())
    const signal = this.session.takeSignals()
    const progress = progressLine(this.session.context)
    this.session.onClose(() => progress.clear())
    this.writer = await openArchive(paths, {
      personal: flags.personal,
      nowMs: this.session.context.nowMs,
      signal,
      onWait: ({ pid }) =>
        this.session.notices.notice(`Waiting for process ${pid}, which is writing ${paths.archive}.`),
    })
    this.session.onClose(() => this.writer.close())
    if (to !== undefined) {
      const { copyArchive } = await postgresArchive()
      const { baseUrl: service = 'the embedded sandbox', apiKey } = await this.session.account.settings()
      const { databaseAccount } = await import('../cli/accounts/shared.js')
      const identity = await this.session.account.identity()
      // Each machine has an embedded sandbox of its own.
      const account = identity.baseUrl === null ? undefined : databaseAccount(identity, apiKey)
      const onProgress = (rows: number) => progress.show(`${rows.toLocaleString('en-US')} rows copied`)
      const known = { to, env: this.session.context.env, service, account, signal, onProgress }
      let isAgain = false
      this.copy = async (isForgetting) => {
        await copyArchive(this.writer, { ...known, isForgetting, isAgain })
        isAgain = true
        progress.clear()
      }
    }
    takeOrders(this.writer, this.config.dataDir, await this.session.account.dataName())
    if (flags.forget !== undefined || olderMs !== undefined) {
      this.forget(flags.forget ?? [], olderMs)
      await this.copy(true)
      const result = this.result(0)
      await this.session.show(syncView, result)
      return result
    }
    capYoungGeneration(8_388_608)
    capGarbage()
    const client = await this.session.client({ limit: 'listing', pacer: createPacer(), timeoutMs: 0, signal })
    const service = archiveService(client, this.session.clocks(client))
    const onWarning = (text: string) => {
      progress.clear()
      this.session.notices.warn(text)
    }
    const fill = {
      nowMs: this.session.context.nowMs,
      fromMs: (nowMs: number) => Date.parse(parseTime(flags.from, '--from', nowMs)),
      onWarning,
      signal,
    }
    if (flags.journal !== undefined)
      for await (const events of journalPages(await this.journals.open()))
        this.note(this.writer.write(events, 'journal'), onWarning)
    const startedMs = performance.now()
    const show = (what: string) => (at: FillProgress) => progress.show(progressText(what, at, startedMs))
    const outage = new Outage(this.session.notices)
    const patience = { isKnown: () => flags.follow && client.serviceNowMs() !== undefined, signal }
    const first = () => fillArchive(this.writer, service, { ...fill, onProgress: show('events') })
    this.added += (await outage.waitFor(first, patience)).added
    if (flags.backfill !== undefined && !signal.aborted) {
      const fromMs = Date.parse(parseTime(flags.backfill, '--backfill', await service.nowMs()))
      const backfill = { fromMs, onProgress: show('deliveries'), onWarning, signal }
      await outage.waitFor(() => backfillArchive(this.writer, service, backfill), patience)
    }
    if (keepMs !== undefined) this.writer.drop((await service.nowMs()) - keepMs)
    progress.clear()
    if (!signal.aborted) await this.copy()
    if (flags.follow && !signal.aborted) {
      await this.follow(service, { ...fill, keepMs })
      return this.result(service.requests())
    }
    const result = this.result(service.requests())
    await this.session.show(syncView, result)
    return result
  }

  /** Prints once a minute what came. */
  private async follow(
    service: ReturnType<typeof archiveService>,
    {
      keepMs,
      ...fill
    }: Pick<FollowOptions, 'nowMs' | 'fromMs' | 'onWarning' | 'signal'> & { keepMs?: number | undefined },
  ): Promise<void> {
    let told = await this.tell(this.result(service.requests()))
    let toldMs = performance.now()
    const outage = new Outage(this.session.notices)
    const onFilled = async ({ added }: Filled) => {
      outage.ended()
      this.added += added
      await this.copy()
      if (performance.now() - toldMs < minuteMs) return
      toldMs = performance.now()
      const now = this.result(service.requests())
      await this.tell({
        ...now,
        events: now.events - told.events,
        deliveries: now.deliveries - told.deliveries,
        requests: now.requests - told.requests,
      })
      told = now
      if (keepMs !== undefined) this.writer.drop(fill.nowMs() + this.writer.clockAheadMs() - keepMs)
    }
    await followArchive(this.writer, service, {
      ...fill,
      onFilled,
      onError: (error) => {
        if (!(error instanceof DlvError) || error.kind === 'usage') throw error
        outage.began(error)
      },
    })
  }

  private async tell(shown: SyncShown): Promise<SyncShown> {
    if (this.session.output.isJson) await this.session.output.record(shown)
    else await this.session.output.text(syncLine(shown, this.session.output.styleNow()))
    return shown
  }

  private note(page: WrittenPage, onWarning: (text: string) => void): void {
    this.added += page.added
    warnOf(page, onWarning)
  }

  private forget(names: readonly string[], olderMs: number | undefined): void {
    const deliveryIds = names.flatMap((name) => {
      const ids = this.writer.idsOf(name)
      if (ids.length > 0) return ids
      if (name.startsWith('del_')) return [name]
      throw new UnknownReferenceError(name.slice(0, 80), 'in the archive')
    })
    let count = deliveryIds.length === 0 ? 0 : this.writer.forget({ deliveryIds })
    if (olderMs !== undefined)
      count += this.writer.forget({ beforeMs: this.session.nowMs() + this.writer.clockAheadMs() - olderMs })
    this.session.notices.notice(`Removed the personal data of ${count} ${count === 1 ? 'delivery' : 'deliveries'}.`)
  }

  private result(requests: number): SyncShown {
    const covered = this.writer.coverage('events')
    const fromMs = covered?.fromMs ?? 0
    const older = this.writer.periods.filter((period) => period.toMs < fromMs)
    const time = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString())
    return {
      events: this.added,
      deliveries: this.writer.newDeliveries,
      requests,
      from: time(covered?.fromMs),
      to: time(covered?.toMs),
      ...(older.length > 0 && {
        older: older.map((one) => ({ from: new Date(one.fromMs).toISOString(), to: new Date(one.toMs).toISOString() })),
      }),
    }
  }
}

function durationOf(text: string | undefined, flag: string): number | undefined {
  return text === undefined ? undefined : parseDurationMs(text, flag)
}

function progressText(what: string, { added, atMs, fromMs, toMs }: FillProgress, startedMs: number): string {
  const done = toMs > fromMs ? Math.min(1, Math.max(0, (atMs - fromMs) / (toMs - fromMs))) : 1
  const leftMs = done > 0 ? ((performance.now() - startedMs) * (1 - done)) / done : undefined
  const left = leftMs === undefined ? '' : `, about ${Math.ceil(leftMs / 1_000)} s left`
  return `${added.toLocaleString('en-US')} ${what}, ${Math.floor(done * 100)} %${left}`
}
