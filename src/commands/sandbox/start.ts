import { BaseCommand } from '../../cli/command/base-command.js'
import { refuseOnProduction } from '../../cli/command/production-guard.js'
import { switchLines } from '../../cli/sandbox/switches.js'
import { serveSandbox, startFlags } from '../../cli/serving/serve-sandbox.js'

export default class StartSandbox extends BaseCommand {
  static override summary = 'Serve the embedded sandbox over HTTP until Ctrl-C.'
  static override description = [
    'Serves the same state as the embedded sandbox and sends webhooks. With -o json or ndjson, the first line on stdout is the ready line with URLs, key and signing secret. Each request is logged on stderr as one line; --quiet turns that off.',
    'Where the contract is ambiguous, a switch chooses. The first choice is the default. Switches are stored with the state; dlv sandbox switches shows and changes them:',
    switchLines().join('\n'),
  ].join('\n\n')
  static override examples = [
    '<%= config.bin %> sandbox start',
    '<%= config.bin %> sandbox start --port 0 --data :memory: -o json',
    '<%= config.bin %> sandbox start --time-scale 60 --rate-limit off',
    '<%= config.bin %> sandbox start --switch duplicates=active --switch lookupShape=array',
  ]
  static override flags = startFlags

  async run(): Promise<void> {
    const { flags } = await this.parse(StartSandbox)
    refuseOnProduction(await this.session.account.settings({ needsKey: false }), 'sandbox start')
    await serveSandbox(this.session, flags)
  }
}
