import { BaseCommand } from '../../cli/command/base-command.js'
import { deliveryListFlags, withSortKey } from '../../cli/deliveries/listing/flags.js'
import { listDeliveries } from '../../cli/deliveries/listing/list.js'
import { stuckText } from '../../cli/deliveries/problem-rules.js'
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
  static override flags = deliveryListFlags

  async run(): Promise<void> {
    const { flags } = await this.parse(ListDeliveries, withSortKey(this.argv))
    await listDeliveries(this.session, flags)
  }
}
