import { Flags, type Interfaces } from '@oclif/core'
import { BaseCommand } from '../cli/command/base-command.js'
import { repeatable } from '../cli/command/write-flags.js'
import { promiseFlags } from '../cli/deliveries/problem-rules.js'
import { checkOutput, outputKinds, overwriteFlag, writeOutput } from '../cli/input/output-file.js'
import { type ExitCode, exitCodes } from '../cli/process/exit-codes.js'
import { openReport, type ReportAccount, reportsOf, showReports } from '../cli/report/account-reports.js'
import { checkTimeZone, refuseEmptyPeriod } from '../cli/report/gather.js'
import type { Session } from '../cli/session/session.js'
import {
  gapText,
  groupings,
  isBroken,
  type NamedReport,
  parseBound,
  type Report,
  reportPage,
  unsureZonesText,
  withoutValue,
} from '../report/index.js'
import { capYoungGeneration } from '../shared/young-generation.js'

export default class ShowReport extends BaseCommand {
  static override summary = 'Show how deliveries went: times, promises, reasons, costs.'
  static override description =
    'Computed from the events of the period and of the previous one. They are fetched into the archive first (dlv sync), which keeps them for longer than the 30 days of the service. A delivery belongs to the period in which it was accepted. Its promise is the first of these that it has: --promise, the quote that it was created with on this machine, --sla, the end of its window, its first ETA; it is on time up to five minutes later. A scheduled order counts from the start of its window, and is left out of click to door if that is not known. --fail-if takes deliveries, each metric and each amount; it says so if a figure has no value, and is not broken by it: deliveries<10 is. Without the service the archive answers; --fail-if then ends with the exit code of the failed request, such as 8, unless a figure is out of bounds. Of several accounts (-P a,b) each has its report; --by profile makes one of them, and --html shows all, each under its name. In JSON and CSV durations are seconds and money is cents.'
  static override examples = [
    '<%= config.bin %> report --from yesterday --to today',
    '<%= config.bin %> report --from 7d --by store',
    '<%= config.bin %> report --from 7d --html week.html',
    "<%= config.bin %> report --from 7d --by profile -P 'acme-*'",
    "<%= config.bin %> report --from 1d --sla 45m --fail-if 'onTime<0.95' --fail-if 'completion<0.9'",
  ]
  static override flags = {
    from: Flags.string({ summary: 'Start of the period', helpValue: 'TIME', default: '7d' }),
    to: Flags.string({ summary: 'End of the period (default now)', helpValue: 'TIME' }),
    by: Flags.option({ summary: 'Group the metrics', options: groupings })(),
    ...promiseFlags,
    tz: Flags.string({ summary: "Time zone of hours and days (default the store's)", helpValue: 'ZONE' }),
    html: Flags.string({ summary: 'Write a self-contained HTML page', helpValue: 'FILE' }),
    ...overwriteFlag,
    'fail-if': Flags.string({
      summary: 'Exit 9 if a figure is out of bounds; repeatable',
      helpValue: 'PATH<N',
      ...repeatable,
    }),
  }

  protected override worksOnSeveral(): boolean {
    return true
  }

  async run(): Promise<Report | undefined> {
    const { flags } = await this.parse(ShowReport)
    const { session, profiles } = this
    if (session.context.ownsHeap) capYoungGeneration()
    const bounds = (flags['fail-if'] ?? []).map(parseBound)
    checkTimeZone(flags.tz)
    refuseEmptyPeriod(flags, session.nowMs())
    const { html, overwrite } = flags
    const page =
      html === undefined
        ? undefined
        : { name: html, flag: '--html', kind: outputKinds.html, overwrite, inputs: [flags.promise].flat() }
    if (page !== undefined) checkOutput(session.context, page)

    const accounts = await this.openAccounts((account) => openReport(account, flags))
    if (accounts.length === 0) return undefined
    const reports = reportsOf(accounts, flags, profiles !== undefined)
    if (page !== undefined) {
      await writeOutput(session.context, page, reportPage(reports))
      session.notices.notice(`Wrote ${page.name}.`)
    }
    // On a page the accounts stand beside what all of them have together.
    const shown = profiles === undefined || flags.by === 'profile' ? reports.slice(0, 1) : reports.slice(1)
    await showReports(session, shown, profiles !== undefined && flags.by !== 'profile')
    for (const one of shown) this.sayDoubts(one, accounts, flags)
    for (const { name, report } of shown) judge(session, bounds, report, shown.length > 1 ? `${name}: ` : '')
    for (const one of accounts) {
      one.session.endIfStale(bounds.length > 0 ? '--fail-if' : undefined)
      session.endWith(Number(one.session.context.exitCode ?? 0) as ExitCode)
    }
    return shown[0]?.report
  }

  /** Says what a report lacks, and which of its hours may be an hour off. */
  private sayDoubts({ name, report, activity }: NamedReport, accounts: readonly ReportAccount[], flags: ZoneFlags) {
    const of = (profile: string | undefined) =>
      accounts.find((one) => one.profile !== undefined && one.profile === profile)?.session ?? this.session
    for (const { from, to, events, profile } of report.gaps)
      of(profile ?? name).notices.warn(
        `${gapText(from, to, events)}. dlv sync --backfill ${from} fetches the deliveries of that time.`,
      )
    // Only hours and days depend on the zone.
    const { forPeople } = this.session.output
    const showsHours = forPeople || flags.html !== undefined || flags.by === 'hour' || flags.by === 'day'
    const unsure = showsHours ? unsureZonesText(activity) : ''
    if (unsure !== '') of(name).notices.notice(`Not sure of the zone: ${unsure}. --tz names one for all.`)
  }
}

type ZoneFlags = Pick<Interfaces.InferredFlags<typeof ShowReport.flags>, 'html' | 'by'>

/** Warns of figures that are out of bounds, which is exit code 9, and of those that have no value. */
function judge(
  session: Session,
  bounds: readonly ReturnType<typeof parseBound>[],
  report: Report,
  whose: string,
): void {
  const judged = bounds.map((bound) => ({ text: bound.text, broken: isBroken(bound, report) }))
  for (const { text, broken } of judged) if (broken) session.notices.warn(`${whose}Out of bounds: ${text}.`)
  for (const { text, broken } of judged)
    if (broken === undefined) session.notices.warn(`${whose}Not judged: ${text}, because ${withoutValue(report)}.`)
  if (judged.some(({ broken }) => broken)) session.endWith(exitCodes.otherOutcome)
}
