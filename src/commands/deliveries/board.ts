import { Flags } from '@oclif/core'
import { freshFlag, openCurrent } from '../../cli/archive/current.js'
import { showLiveBoard } from '../../cli/board/live-board.js'
import { judgedOrders, readOrders } from '../../cli/board/orders.js'
import { BaseCommand } from '../../cli/command/base-command.js'
import { parseDurationMs, parseTime } from '../../cli/input/durations.js'
import { canReadKeys } from '../../cli/input/keyboard.js'
import { judgingFlags, judgingOf, stuckText } from '../../cli/report/judging.js'
import { createPacer } from '../../client/index.js'
import { UsageError } from '../../contract/index.js'
import { accountLabel } from '../../profiles/index.js'
import { type BoardRow, boardList, boardRow, byUrgency } from '../../render/board-view.js'
import { boardColumns } from '../../trade/problems.js'
import { lateMeans } from '../../trade/promise.js'

export default class ShowBoard extends BaseCommand {
  static override summary = 'Show what is under way on a live screen.'
  static override description = [
    'One column for each stage, problems and late orders first; below 120 columns a list, one order a line. Without a terminal, or with --once, it prints a table and ends. Reads the archive (dlv sync) after fetching what is new; --fresh no asks nobody.',
    `${lateMeans} ${stuckText}`,
  ].join('\n\n')
  static override examples = [
    '<%= config.bin %> deliveries board',
    '<%= config.bin %> deliveries board --once',
    "<%= config.bin %> deliveries board --jq '.[] | select(.lateSeconds).clientOrderReference'",
  ]
  static override flags = {
    from: Flags.string({ summary: 'Only orders created since (default 7d)', helpValue: 'TIME' }),
    interval: Flags.string({ summary: 'Time between two requests (default 2s)', helpValue: 'SPAN' }),
    ...judgingFlags,
    fresh: freshFlag(),
    once: Flags.boolean({ summary: 'Print a table and exit' }),
  }

  async run(): Promise<BoardRow[] | undefined> {
    const { flags } = await this.parse(ShowBoard)
    const intervalMs = Math.max(200, parseDurationMs(flags.interval ?? '2s', '--interval'))
    const stop = new AbortController()
    const signal = AbortSignal.any([this.session.takeSignals(), stop.signal])
    signal.addEventListener('abort', () => stop.abort(), { once: true })
    const settings = await this.session.account.settings()
    const { baseUrl, environment } = settings
    const judging = await judgingOf(flags, this.session.context, await this.session.account.knownOrders())
    const isLive = !flags.once && this.session.output.forPeople && !this.session.output.style.accessible
    if (isLive && !canReadKeys(this.session.context, this.session.flags['no-input']))
      throw new UsageError('The live board needs a terminal with keys.', {
        hint: 'Use --once for a table, or run it in the foreground without --no-input, CI or TERM=dumb.',
      })
    let waits = this.session.waitingPlace()
    const saysWaiting = { show: (text: string) => waits.show(text), clear: () => waits.clear() }
    const client = await this.session.client({
      limit: isLive ? 'watching' : 'listing',
      saysWaiting: isLive ? saysWaiting : undefined,
      signal,
      pacer: createPacer(),
      timeoutMs: 0,
    })
    const fromMs = (nowMs: number) => Date.parse(parseTime(flags.from ?? '7d', '--from', nowMs))
    const common = {
      ...(await this.session.archiveParts(client)),
      isFresh: flags.fresh !== 'no',
      fromMs,
      people: true,
      signal,
    }
    if (!isLive) {
      const archive = await openCurrent({ ...common, output: this.session.output, onStale: this.session.onStale })
      const nowMs = this.session.nowMs() + archive.clockAheadMs
      const shown = judgedOrders(readOrders(archive, fromMs(nowMs)), judging, nowMs).sort(byUrgency)
      archive.close()
      const rows = boardColumns.flatMap((name) =>
        shown.filter(({ column }) => column === name).map((order) => boardRow(order, nowMs)),
      )
      await this.session.show(boardList, rows)
      this.session.endIfStale(flags.fresh === 'yes' ? '--fresh yes' : undefined)
      return rows
    }
    const isUnserved = baseUrl === undefined && !(await this.session.account.sandbox()).isServed
    // Whatever is said meanwhile is printed once the screen is left.
    this.session.notices.hold()
    await showLiveBoard({
      context: this.session.context,
      client,
      open: ({ progress, stale }) => openCurrent({ ...common, onProgress: progress, onStale: stale }),
      account: `${accountLabel(settings)} (${environment})`,
      isProduction: environment === 'production',
      isUnserved,
      fromMs,
      judging,
      intervalMs,
      showWaits: (place) => {
        waits = place
      },
      style: this.session.output.style,
      stop,
    })
    return undefined
  }
}
