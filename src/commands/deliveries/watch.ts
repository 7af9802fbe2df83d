import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../cli/command/api-command.js'
import { showWatch } from '../../cli/deliveries/show-watch.js'
import { limitMs, parseDurationMs } from '../../cli/input/durations.js'
import { parseStatus } from '../../cli/input/statuses.js'

export default class WatchDelivery extends ApiCommand {
  static override summary = 'Watch a delivery until it ends.'
  static override description =
    'Reads the delivery once and then its events. Exits 0 if it was delivered or reached --until, 9 if it ended in another status.'
  static override examples = [
    '<%= config.bin %> deliveries watch ORDER-1001',
    '<%= config.bin %> deliveries watch del_01ABC --until pickup_complete --for 30m',
    '<%= config.bin %> deliveries watch del_01ABC -o ndjson',
    '<%= config.bin %> deliveries watch --active',
  ]
  static override args = {
    id: Args.string({ description: 'Delivery id or order reference', required: true, ignoreStdin: true }),
  }
  static override flags = {
    active: Flags.boolean({ summary: 'Watch all that is under way; takes the flags of board' }),
    until: Flags.string({
      summary: 'Stop at this status, such as pickup_complete',
      helpValue: 'STATUS',
    }),
    for: Flags.string({ summary: 'Stop after this time, such as 10m', helpValue: 'SPAN' }),
    interval: Flags.string({ summary: 'Time between two requests (default 2s)', helpValue: 'SPAN' }),
    'follow-returns': Flags.boolean({ summary: 'Continue after failed, which a return may follow' }),
    'fail-fast': Flags.boolean({ summary: 'Stop at dispatch_failed, which may still recover' }),
  }

  async run(): Promise<unknown> {
    if (this.argv.includes('--active')) {
      const { default: ShowBoard } = await import('./board.js')
      ShowBoard.id = 'deliveries:board'
      const board = new ShowBoard(
        this.argv.filter((word) => word !== '--active'),
        this.config,
      )
      return (board as unknown as { _run(): Promise<unknown> })._run()
    }
    const { args, flags } = await this.parse(WatchDelivery)
    const options = {
      until: flags.until === undefined ? undefined : parseStatus(flags.until, '--until', this.notices),
      forMs: limitMs([flags.for, '--for'], [flags.timeout, '--timeout']),
      pollMs: flags.interval === undefined ? undefined : Math.max(200, parseDurationMs(flags.interval, '--interval')),
      followReturns: flags['follow-returns'],
      failFast: flags['fail-fast'],
      signal: this.takeSignals(),
      nowMs: this.context.nowMs,
    }
    const client = await this.watchingApi(options.signal)
    const { deliveryId } = await this.named(args.id, client)
    this.endWith(await showWatch(client, deliveryId, options, this.output, this.notices))
    return undefined
  }
}
