import { Args, Flags } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.js'
import { judgingFlags, stuckText } from '../../cli/deliveries/problem-rules.js'
import { showWatch } from '../../cli/deliveries/watch-delivery.js'
import { notifications } from '../../cli/events/notify.js'
import { parseStatus } from '../../cli/input/contract-words.js'
import { limitMs, parseDurationMs } from '../../cli/input/times.js'
import { serviceOutage } from '../../cli/output/outage.js'
import { UsageError } from '../../contract/index.js'
import { AccountChips } from '../../render/account-chip.js'

export default class WatchDelivery extends BaseCommand {
  static override looksUp = 'alone' as const
  static override summary = 'Watch a delivery until it ends.'
  static override description = [
    'Reads the delivery once and then its events. Exits 0 if it was delivered or reached --until, 9 if it ended in another status.',
    '--problems prints each problem of the deliveries of a week once, as deliveries list --problem says it, until Ctrl-C or --for. --exec and --notify act once for each that comes after the start: the command gets the delivery as JSON on standard input, and DLV_DELIVERY_ID and DLV_PROBLEM; its output goes to stderr, and if it fails, it is tried again 5 times, after 1s to 10 minutes.',
    stuckText,
  ].join('\n\n')
  static override examples = [
    '<%= config.bin %> deliveries watch ORDER-1001',
    '<%= config.bin %> deliveries watch del_01ABC --until pickup_complete --for 30m',
    '<%= config.bin %> deliveries watch del_01ABC -o ndjson',
    '<%= config.bin %> deliveries watch --active',
    '<%= config.bin %> deliveries watch --problems --notify',
    "<%= config.bin %> deliveries watch --problems -P 'acme-*'",
    "<%= config.bin %> deliveries watch --problems --exec 'jq -r .problem >> problems.log'",
  ]
  static override args = {
    id: Args.string({ description: 'Delivery id or order reference', required: true, ignoreStdin: true }),
  }
  static override flags = {
    active: Flags.boolean({ summary: 'Watch all that is under way; takes the flags of board' }),
    problems: Flags.boolean({ summary: 'Watch for stuck, late and failed deliveries' }),
    exec: Flags.string({ summary: 'With --problems: run for each new one', helpValue: 'CMD' }),
    notify: Flags.boolean({ summary: 'With --problems: notify of each new one' }),
    ...judgingFlags,
    until: Flags.string({
      summary: 'Stop at this status, such as pickup_complete',
      helpValue: 'STATUS',
    }),
    for: Flags.string({ summary: 'Stop after this time, such as 10m', helpValue: 'DURATION' }),
    interval: Flags.string({ summary: 'Time between two requests (default 2s; --problems 5s)', helpValue: 'DURATION' }),
    'follow-returns': Flags.boolean({ summary: 'Continue after failed, which a return may follow' }),
    'fail-fast': Flags.boolean({ summary: 'Stop at dispatch_failed, which may still recover' }),
  }

  protected override worksOnSeveral(): boolean {
    return this.argv.includes('--active') || this.argv.includes('--problems')
  }

  async run(): Promise<unknown> {
    // It takes the flags of another command, which this one would refuse.
    if (this.argv.includes('--active')) {
      const { default: ShowBoard } = await import('./board.js')
      ShowBoard.id = 'deliveries:board'
      const board = new ShowBoard(
        this.argv.filter((word) => word !== '--active'),
        this.config,
      )
      return (board as unknown as { _run(): Promise<unknown> })._run()
    }
    if (this.argv.includes('--problems')) return this.watchProblems()
    const { args, flags } = await this.parse(WatchDelivery)
    if (flags.exec !== undefined || flags.notify)
      throw new UsageError('--exec and --notify act on problems: use them with --problems.', {
        hint: 'dlv events tail --exec runs a command for each event.',
      })
    const options = {
      until: flags.until === undefined ? undefined : parseStatus(flags.until, '--until', this.session.notices),
      forMs: limitMs([flags.for, '--for'], [flags.timeout, '--timeout']),
      pollMs: flags.interval === undefined ? undefined : Math.max(200, parseDurationMs(flags.interval, '--interval')),
      followReturns: flags['follow-returns'],
      failFast: flags['fail-fast'],
      signal: this.session.takeSignals(),
      nowMs: this.session.context.nowMs,
      outage: await serviceOutage(this.session),
    }
    const client = await this.session.client({ limit: 'watching', signal: options.signal })
    const { deliveryId } = await this.session.named(args.id, client)
    this.session.endWith(await showWatch(client, deliveryId, options, this.session.output, this.session.notices))
    return undefined
  }

  private async watchProblems(): Promise<void> {
    const { flags } = await this.parse({ flags: WatchDelivery.flags, baseFlags: WatchDelivery.baseFlags, args: {} })
    const { showProblems } = await import('../../cli/deliveries/watch-problems.js')
    const forMs = limitMs([flags.for, '--for'], [flags.timeout, '--timeout'])
    const interrupted = this.session.takeSignals()
    const signal = forMs === undefined ? interrupted : AbortSignal.any([interrupted, AbortSignal.timeout(forMs)])
    const shown = flags.notify ? notifications(this.session.context) : undefined
    this.session.onClose(() => shown?.close())
    const chips = new AccountChips(this.profiles ?? [])
    await this.eachAccount((account) => showProblems(account, flags, { outer: this.session, signal, shown, chips }))
  }
}
