import { Flags } from '@oclif/core'
import { BaseCommand } from '../cli/command/base-command.js'
import { repeatable } from '../cli/command/write-flags.js'
import { checkOutput, outputKinds, overwriteFlag, writeOutput } from '../cli/input/output-file.js'
import { exitCodes } from '../cli/process/exit-codes.js'
import { checkTimeZone, gatherReport, refuseEmptyPeriod, reportPeriod } from '../cli/report/gather.js'
import { promiseFlags, promiseRulesOf } from '../cli/report/judging.js'
import { reportArchive } from '../cli/report/report-archive.js'
import type { Session } from '../cli/session/session.js'
import type { View } from '../render/view.js'
import {
  type Activity,
  gapText,
  groupings,
  isBroken,
  metricRows,
  parseBound,
  type Report,
  reportHtml,
  reportText,
  unsureZonesText,
  withoutValue,
} from '../report/index.js'
import { capYoungGeneration } from '../shared/young-generation.js'

export default class ShowReport extends BaseCommand {
  static override summary = 'Show how deliveries went: times, promises, reasons, costs.'
  static override description =
    'Computed from the events of the period and of the previous one. They are fetched into the archive first (dlv sync), which keeps them for longer than the 30 days of the service. A delivery belongs to the period in which it was accepted. Its promise is the first of these that it has: --promise, the quote that it was created with on this machine, --sla, the end of its window, its first ETA; it is on time up to five minutes later. A scheduled order counts from the start of its window, and is left out of click to door if that is not known. --fail-if takes deliveries, each metric and each amount; it says so if a figure has no value, and is not broken by it: deliveries<10 is. Without the service the archive answers; --fail-if then ends with the exit code of the failed request, such as 8, unless a figure is out of bounds. In JSON and CSV durations are seconds and money is cents.'
  static override examples = [
    '<%= config.bin %> report --from yesterday --to today',
    '<%= config.bin %> report --from 7d --by store',
    '<%= config.bin %> report --from 7d --html week.html',
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

  async run(): Promise<Report> {
    const { flags } = await this.parse(ShowReport)
    const { session } = this
    capYoungGeneration()
    const bounds = (flags['fail-if'] ?? []).map(parseBound)
    checkTimeZone(flags.tz)
    refuseEmptyPeriod(flags, session.nowMs())
    const promises = await promiseRulesOf(flags, session.context, await session.account.knownOrders())
    const { html, overwrite } = flags
    const page =
      html === undefined
        ? undefined
        : { name: html, flag: '--html', kind: outputKinds.html, overwrite, inputs: [flags.promise].flat() }
    if (page !== undefined) checkOutput(session.context, page)

    const { archive, nowMs } = await reportArchive(session, flags)
    const period = reportPeriod(flags.from, flags.to, nowMs)
    const { report, activity } = gatherReport(archive, { ...period, promises, by: flags.by, timeZone: flags.tz })

    if (page !== undefined) {
      await writeOutput(session.context, page, reportHtml(report, activity))
      session.notices.notice(`Wrote ${page.name}.`)
    }
    await session.show(reportView(activity), report)
    for (const { from, to, events } of report.gaps)
      session.notices.warn(
        `${gapText(from, to, events)}. dlv sync --backfill ${from} fetches the deliveries of that time.`,
      )
    // Only hours and days depend on the zone.
    const showsHours = session.output.forPeople || html !== undefined || flags.by === 'hour' || flags.by === 'day'
    const unsure = showsHours ? unsureZonesText(activity) : ''
    if (unsure !== '') session.notices.notice(`Not sure of the zone: ${unsure}. --tz names one for all.`)
    judge(session, bounds, report)
    session.endIfStale(bounds.length > 0 ? '--fail-if' : undefined)
    return report
  }
}

/** Warns of figures that are out of bounds, which is exit code 9, and of those that have no value. */
function judge(session: Session, bounds: readonly ReturnType<typeof parseBound>[], report: Report): void {
  const judged = bounds.map((bound) => ({ text: bound.text, broken: isBroken(bound, report) }))
  for (const { text, broken } of judged) if (broken) session.notices.warn(`Out of bounds: ${text}.`)
  for (const { text, broken } of judged)
    if (broken === undefined) session.notices.warn(`Not judged: ${text}, because ${withoutValue(report)}.`)
  if (judged.some(({ broken }) => broken)) session.endWith(exitCodes.otherOutcome)
}

/** A report: a page for people, one row per figure for pipes and CSV. */
function reportView(activity: Activity): View<Report> {
  return {
    id: (row) => (row as { metric: string }).metric,
    rows: metricRows,
    pipeHeader: true,
    columns: [
      { name: 'metric' },
      { name: 'key' },
      { name: 'value' },
      { name: 'p50' },
      { name: 'p90' },
      { name: 'p95' },
      { name: 'n' },
      { name: 'before' },
    ],
    card: (report, style) => reportText(report, activity, style),
  }
}
