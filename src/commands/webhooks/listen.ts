import { BaseCommand } from '../../cli/command/base-command.js'
import { listen } from '../../cli/serving/listen.js'
import { listenFlags } from '../../cli/webhooks/listen-flags.js'

export default class Listen extends BaseCommand {
  static override summary = 'Receive, verify, store and forward webhooks.'
  static override description =
    "Each webhook is on disk before it is acknowledged. With the local profile, the embedded sandbox posts here automatically, also for commands in other processes. --exec runs its command with DLV_WEBHOOK_URL and DLV_WEBHOOK_SECRET. Several accounts (-P a,b) share the address: an event belongs to the account whose secret verifies it, is kept in that account's journal and forwarded as its. Exits 130 on Ctrl-C, 143 on SIGTERM, 129 if its terminal is closed, 9 if --expect was not met."
  static override examples = [
    '<%= config.bin %> webhooks listen',
    '<%= config.bin %> webhooks listen --forward-to http://localhost:3000/hooks --show-response',
    '<%= config.bin %> webhooks listen --pull --since 2h',
    "<%= config.bin %> webhooks listen -P acme,bolt --forward-to acme:http://localhost:3000/acme --forward-to 'bolt:delivery.*=http://localhost:3000/bolt'",
    '<%= config.bin %> webhooks listen --journal postgres://dlv@one:5432,two:5432/dlv --admin-port 9090',
    '<%= config.bin %> webhooks listen --answer 500@30% --answer reset@5% --answer-delay 12s@10%',
    "<%= config.bin %> webhooks listen --expect delivery.delivered --within 60s --exec 'npm test'",
    '<%= config.bin %> webhooks listen --jq \'select(.type == "event").eventType\'',
  ]
  static override flags = listenFlags

  protected override worksOnSeveral(): boolean {
    return true
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(Listen)
    await listen(this.session, this.profiles, flags)
  }
}
