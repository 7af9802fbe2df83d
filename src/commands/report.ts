import { Flags } from '@oclif/core'
import { archiveService, openCurrentArchive } from '../cli/archive/archive-service.js'
import { sayAge } from '../cli/archive/current.js'
import { BaseCommand } from '../cli/command/base-command.js'
import { repeatable } from '../cli/command/write-flags.js'
import { parseTime } from '../cli/input/durations.js'
import { checkOutput, outputKinds, overwriteFlag, writeOutput } from '../cli/input/output-file.js'
import { progressLine } from '../cli/output/progress-line.js'
import { exitCodes } from '../cli/process/exit-codes.js'
import { gatherReport, type ReportSource, startOfBoth } from '../cli/report/gather.js'
import { promiseFlags, promiseRulesOf } from '../cli/report/judging.js'
import { Journals } from '../cli/webhooks/journals.js'
import { createPacer } from '../client/index.js'
import type { View } from '../render/view.js'
import {
  type Activity,
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
    journal: Flags.boolean({ summary: 'Read the journal (DLV_JOURNAL), not the service' }),
  }

  private journals!: Journals

  async run(): Promise<Report> {
    const { flags } = await this.parse(ShowReport)
    this.journals = new Journals(this.session)
    capYoungGeneration()
    const bounds = (flags['fail-if'] ?? []).map(parseBound)
    const promises = await promiseRulesOf(flags, this.session.context, await this.session.account.promises())
    const { html, overwrite } = flags
    const output =
      html === undefined
        ? undefined
        : { name: html, flag: '--html', kind: outputKinds.html, overwrite, inputs: [flags.promise].flat() }
    if (output !== undefined) checkOutput(this.session.context, output)
    const progress = progressLine(this.session.context)
    this.session.onClose(() => progress.clear())
    const { source, nowMs } = await this.source(flags, progress)
    const period = periodOf(flags, nowMs)
    const { report, activity, gaps } = await gatherReport(source, {
      ...period,
      promises,
      by: flags.by,
      timeZone: flags.tz,
    })
    progress.clear()
    const judged = bounds.map((bound) => ({ text: bound.text, broken: isBroken(bound, report) }))
    if (output !== undefined) {
      await writeOutput(this.session.context, output, reportHtml(report, activity))
      this.session.notices.notice(`Wrote ${output.name}.`)
    }
    await this.session.show(reportView(activity), report)
    for (const { fromMs, toMs } of gaps) {
      const [start, end] = [fromMs, toMs].map((ms) => new Date(ms).toISOString())
      this.session.notices.warn(
        `The archive has no events from ${start} to ${end}: what began then is not counted. dlv sync --backfill ${start} fetches the deliveries of that time.`,
      )
    }
    // Only hours and days depend on the zone.
    const showsHours =
      this.session.output.forPeople || flags.html !== undefined || flags.by === 'hour' || flags.by === 'day'
    const unsure = showsHours ? unsureZonesText(activity) : ''
    if (unsure !== '') this.session.notices.notice(`Not sure of the zone: ${unsure}. --tz names one for all.`)
    for (const { text, broken } of judged) if (broken) this.session.notices.warn(`Out of bounds: ${text}.`)
    for (const { text, broken } of judged)
      if (broken === undefined) this.session.notices.warn(`Not judged: ${text}, because ${withoutValue(report)}.`)
    if (judged.some(({ broken }) => broken)) this.session.endWith(exitCodes.otherOutcome)
    this.session.endIfStale(bounds.length > 0 ? '--fail-if' : undefined)
    return report
  }

  private async source(
    flags: { journal: boolean; from: string; to?: string | undefined },
    progress: ReturnType<typeof progressLine>,
  ): Promise<{ source: ReportSource; nowMs: number }> {
    if (flags.journal) {
      const nowMs = this.session.context.nowMs()
      return { source: { kind: 'journal', journal: await this.journals.open() }, nowMs }
    }
    const client = await this.session.client({ limit: 'listing', pacer: createPacer(), timeoutMs: 0 })
    const service = archiveService(client, this.session.clocks(client))
    const archive = await openCurrentArchive({
      dataDir: this.config.dataDir,
      account: await this.session.account.dataName(),
      service,
      nowMs: this.session.context.nowMs,
      // The period before is shown too, as far as the service lists its events.
      fromMs: (serviceNowMs) => startOfBoth(periodOf(flags, serviceNowMs), serviceNowMs),
      onProgress: ({ added }) => progress.show(`${added.toLocaleString('en-US')} events read`),
      onWarning: (text) => this.session.notices.warn(text),
      onWait: ({ pid }) => this.session.notices.notice(`Waiting for process ${pid}, which is filling the archive.`),
      onStale: this.session.onStale,
    })
    this.session.onClose(() => archive.close())
    progress.clear()
    sayAge(archive, this.session.stale, {
      context: this.session.context,
      output: this.session.output,
      notices: this.session.notices,
      isFresh: true,
    })
    return { source: { kind: 'archive', archive }, nowMs: archive.asOfMs ?? (await service.nowMs()) }
  }
}

function periodOf({ from, to }: { from: string; to?: string | undefined }, nowMs: number) {
  return {
    fromMs: Date.parse(parseTime(from, '--from', nowMs)),
    toMs: to === undefined ? nowMs : Date.parse(parseTime(to, '--to', nowMs)),
  }
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
