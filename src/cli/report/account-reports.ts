import type { ArchiveReader } from '../../archive/index.js'
import { createPacer } from '../../client/index.js'
import { profileColumn, type View, withProfile } from '../../render/view.js'
import {
  type Activity,
  type Grouping,
  metricRows,
  type NamedReport,
  type Report,
  reportText,
} from '../../report/index.js'
import { archiveService, openCurrentArchive } from '../archive/archive-service.js'
import { sayAge } from '../archive/current.js'
import { promiseRulesOf } from '../deliveries/problem-rules.js'
import { progressLine } from '../output/notices.js'
import type { AccountSession } from '../session/account-session.js'
import type { Session } from '../session/session.js'
import { gatherReport, type ReportSource, refuseTooEarly, reportPeriod, startOfBoth } from './gather.js'

/** The flags of a report that decide its figures. */
interface ReportFlags {
  from: string
  to?: string | undefined
  by?: Grouping | undefined
  tz?: string | undefined
  promise?: string | undefined
  sla?: string | undefined
}

/** An account whose archive is open for a report. */
export interface ReportAccount extends ReportSource {
  session: Session
  /** The time that the flags are relative to. */
  nowMs: number
}

/** Opens an account's archive for a report, after fetching what is new. */
export async function openReport({ profile, session }: AccountSession, flags: ReportFlags): Promise<ReportAccount> {
  session.output.checkColumns(severalView)
  const promises = await promiseRulesOf(flags, session.context, await session.account.knownOrders())
  const opened = await reportArchive(session, flags)
  // Of several, it is the only one that has no report.
  refuseTooEarly(opened.archive, reportPeriod(flags.from, flags.to, opened.nowMs))
  return { ...opened, promises, profile, session }
}

/**
 * The report on all accounts together, and that of each if there are several. By profile, the accounts are the groups of
 * the first.
 *
 * @throws UsageError if an archive has nothing of the period's beginning
 */
export function reportsOf(accounts: readonly ReportAccount[], flags: ReportFlags, isSeveral: boolean): NamedReport[] {
  const of = (sources: readonly ReportAccount[], by: Grouping | undefined) => {
    const nowMs = Math.max(...sources.map((source) => source.nowMs))
    return gatherReport(sources, { ...reportPeriod(flags.from, flags.to, nowMs), by, timeZone: flags.tz })
  }
  const named = accounts.map((one) => ({ ...one, profile: one.profile ?? one.session.account.choice.settings.profile }))
  const sources = flags.by === 'profile' || isSeveral ? named : accounts
  const all = { name: isSeveral ? 'All accounts' : '', ...of(sources, isSeveral ? (flags.by ?? 'profile') : flags.by) }
  if (!isSeveral) return [all]
  const own = flags.by === 'profile' ? undefined : flags.by
  return [all, ...named.map((one) => ({ name: one.profile, ...of([{ ...one, profile: undefined }], own) }))]
}

/** Prints a report, or those of several accounts. */
export async function showReports(
  session: Session,
  reports: readonly NamedReport[],
  isSeveral: boolean,
): Promise<void> {
  const [first] = reports
  if (first === undefined) return
  if (!isSeveral) return session.show(reportView(first.activity), first.report)
  const { output } = session
  if (output.forPeople) {
    for (const { name, report, activity } of reports) {
      await output.text(`${name}:`)
      await session.show(reportView(activity), report)
    }
    return
  }
  await session.show(
    severalView,
    reports.map(({ name, report }) => withProfile(name, report)),
  )
}

const columns = ['metric', 'key', 'value', 'p50', 'p90', 'p95', 'n', 'before'].map((name) => ({ name }))

/** A report: a page for people, one row per figure for pipes and CSV. */
function reportView(activity: Activity): View<Report> {
  return {
    id: (row) => (row as { metric: string }).metric,
    rows: metricRows,
    pipeHeader: true,
    columns,
    card: (report, style) => reportText(report, activity, style),
  }
}

/** The figures of several accounts, each with its account. */
const severalView: View<Record<string, unknown>[]> = {
  id: (row) => (row as { metric: string }).metric,
  rows: (reports) =>
    reports.flatMap((report) =>
      metricRows(report as unknown as Report).map((row) => withProfile(String(report.profile), row)),
    ),
  pipeHeader: true,
  columns: [profileColumn, ...columns],
}

/** The archive that a report is computed from, after fetching what is new, and the time that its flags are relative to. */
async function reportArchive(
  session: Session,
  { from, to }: { from: string; to?: string | undefined },
): Promise<{ archive: ArchiveReader; nowMs: number }> {
  const { context, output, notices } = session
  const progress = progressLine(context)
  session.onClose(() => progress.clear())
  const client = await session.client({ limit: 'listing', pacer: createPacer(), timeoutMs: 0 })
  const service = archiveService(client, session.clocks(client))
  const archive = await openCurrentArchive({
    dataDir: session.config.dataDir,
    account: await session.account.dataName(),
    service,
    nowMs: context.nowMs,
    // The period before is shown too, as far as the service lists its events.
    fromMs: (serviceNowMs) => startOfBoth(reportPeriod(from, to, serviceNowMs), serviceNowMs),
    onProgress: ({ added }) => progress.show(`${added.toLocaleString('en-US')} events read`),
    onWarning: (text) => notices.warn(text),
    onWait: ({ pid }) => notices.notice(`Waiting for process ${pid}, which is filling the archive.`),
    onStale: session.onStale,
  })
  session.onClose(() => archive.close())
  progress.clear()
  sayAge(archive, session.stale, { context, output, notices, isFresh: true })
  return { archive, nowMs: archive.asOfMs ?? (await service.nowMs()) }
}
