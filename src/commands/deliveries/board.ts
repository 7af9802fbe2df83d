import { Flags } from '@oclif/core'
import { freshFlag } from '../../cli/archive/current.js'
import { BaseCommand } from '../../cli/command/base-command.js'
import {
  type BoardFlags,
  boardAccount,
  boardRows,
  boardStart,
  boardTitle,
  inColumns,
} from '../../cli/deliveries/board/account-board.js'
import { showLiveBoard } from '../../cli/deliveries/board/live-board.js'
import { judgingFlags, stuckText } from '../../cli/deliveries/problem-rules.js'
import { canReadKeys } from '../../cli/input/keyboard.js'
import { parseDurationMs } from '../../cli/input/times.js'
import { UsageError } from '../../contract/index.js'
import { type BoardRow, boardList } from '../../render/board-view.js'
import { withProfile, withProfileColumn } from '../../render/view.js'
import { lateMeans } from '../../trade/promise.js'

export default class ShowBoard extends BaseCommand {
  static override summary = 'Show what is under way on a live screen.'
  static override description = [
    'One column for each stage, problems and late orders first; below 120 columns a list, one order a line. Of several accounts (-P a,b) each order has its own; a shows one after the other. Without a terminal, or with --once, it prints a table and ends. Reads the archive (dlv sync) after fetching what is new; --fresh no asks nobody.',
    `${lateMeans} ${stuckText}`,
  ].join('\n\n')
  static override examples = [
    '<%= config.bin %> deliveries board',
    '<%= config.bin %> deliveries board --once',
    "<%= config.bin %> deliveries board -P 'acme-*'",
    "<%= config.bin %> deliveries board --jq '.[] | select(.lateSeconds).clientOrderReference'",
  ]
  static override flags = {
    from: Flags.string({ summary: 'Only orders created since (default 7d)', helpValue: 'TIME' }),
    interval: Flags.string({ summary: 'Time between two requests (default 2s)', helpValue: 'DURATION' }),
    ...judgingFlags,
    fresh: freshFlag(),
    once: Flags.boolean({ summary: 'Print a table and exit' }),
  }

  protected override worksOnSeveral(): boolean {
    return true
  }

  async run(): Promise<BoardRow[] | undefined> {
    const { flags } = await this.parse(ShowBoard)
    const { context, output, notices } = this.session
    const intervalMs = Math.max(200, parseDurationMs(flags.interval ?? '2s', '--interval'))
    const stop = new AbortController()
    const signal = AbortSignal.any([this.session.takeSignals(), stop.signal])
    signal.addEventListener('abort', () => stop.abort(), { once: true })
    const isLive = !flags.once && output.forPeople && !output.style.accessible
    if (!isLive) return this.showOnce(flags, signal)
    if (!canReadKeys(context, this.session.flags['no-input']))
      throw new UsageError('The live board needs a terminal with keys.', {
        hint: 'Use --once for a table, or run it in the foreground without --no-input, CI or TERM=dumb.',
      })
    let place = this.session.waitingPlace()
    const waits = { show: (text: string) => place.show(text), clear: () => place.clear() }
    const accounts = await this.openAccounts(async (one) => {
      const account = await boardAccount(one, flags, { signal, waits })
      // Whatever is said meanwhile is printed once the screen is left.
      one.session.notices.hold()
      return account
    })
    if (accounts.length === 0) return undefined
    notices.hold()
    await showLiveBoard({
      context,
      accounts,
      title: boardTitle(accounts),
      fromMs: boardStart(flags),
      intervalMs,
      showWaits: (shown) => {
        place = shown
      },
      style: output.style,
      stop,
    })
    return undefined
  }

  /** A table of what is under way in each account. */
  private async showOnce(flags: BoardFlags, signal: AbortSignal): Promise<BoardRow[]> {
    this.session.output.checkColumns(boardList, 'profile')
    const rows: BoardRow[] = []
    await this.eachAccount(async (one) => {
      const { profile, session } = one
      const account = await boardAccount(one, flags, { signal, waits: undefined })
      for (const row of await boardRows(account, flags, () => session.nowMs()))
        rows.push(profile === undefined ? row : (withProfile(profile, row) as unknown as BoardRow))
      session.endIfStale(flags.fresh === 'yes' ? '--fresh yes' : undefined)
    })
    const shown = inColumns(rows)
    await this.session.show(this.profiles === undefined ? boardList : withProfileColumn(boardList), shown)
    return shown
  }
}
