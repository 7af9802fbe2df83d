import { BaseCommand } from '../cli/command/base-command.js'
import { pageFlags, servePage } from '../cli/serving/page.js'

export default class Ui extends BaseCommand {
  static override summary = 'Show deliveries, webhooks and the sandbox in the browser.'
  static override description =
    'Serves a page on this machine until Ctrl-C. With nothing configured, it shows the embedded sandbox and receives its webhooks. With a profile, it shows that account; a production account is read-only. Of several (-P a,b) everything has its account, and each screen can be limited to one. The URL contains a token, without which nothing is answered. With -o json, the first line on stdout is the ready line with the URL.'
  static override examples = [
    '<%= config.bin %> ui --open',
    '<%= config.bin %> ui --port 0 -o json',
    '<%= config.bin %> ui -P acme',
    "<%= config.bin %> ui -P 'acme-*'",
  ]
  static override flags = pageFlags

  protected override worksOnSeveral(): boolean {
    return true
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(Ui)
    await servePage(this.session, this.profiles, flags)
  }
}
