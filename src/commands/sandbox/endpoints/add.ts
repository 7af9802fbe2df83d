import { Args, Flags } from '@oclif/core'
import { BaseCommand } from '../../../cli/command/base-command.js'
import { repeatable } from '../../../cli/command/write-flags.js'
import { checkReceiver } from '../../../cli/input/network-addresses.js'
import { allowWeakSecretFlag, readSecretFiles } from '../../../cli/input/secrets.js'
import { accountChoice, controlOf } from '../../../cli/sandbox/control.js'
import { answerView } from '../../../render/cards.js'

export default class AddEndpoint extends BaseCommand {
  static override summary = 'Register an endpoint for webhooks: https, or http on this machine.'
  static override examples = [
    '<%= config.bin %> sandbox endpoints add http://127.0.0.1:3000/hooks',
    '<%= config.bin %> sandbox endpoints add https://localhost:8443/ --kind deliveries --secret-file secret.txt',
    '<%= config.bin %> sandbox endpoints add http://127.0.0.1:3000/drivers --account ownedfleet --kind drivers',
  ]
  static override args = {
    url: Args.string({ description: 'URL of the receiver', required: true, ignoreStdin: true }),
  }
  static override flags = {
    account: Flags.string({
      summary: 'Account (default: that of your key)',
      helpValue: 'ACCOUNT',
    }),
    kind: Flags.string({ summary: 'Which events', options: ['all', 'deliveries', 'drivers'], default: 'all' }),
    'secret-file': Flags.string({
      summary: 'Sign with this secret; repeatable',
      helpValue: 'FILE',
      ...repeatable,
    }),
    ...allowWeakSecretFlag,
  }

  async run(): Promise<unknown> {
    const { args, flags } = await this.parse(AddEndpoint)
    checkReceiver(args.url, 'The endpoint')
    const allowWeak = flags['allow-weak-secret']
    const warn = (text: string) => this.session.notices.warn(text)
    const secrets = await readSecretFiles(this.session.context, flags['secret-file'] ?? [], warn, { allowWeak })
    const control = await controlOf(this.session)
    const registration = {
      url: args.url,
      kind: flags.kind,
      ...(await accountChoice(this.session, control, flags.account)),
      ...(secrets.length === 0 ? {} : { secrets: secrets.map(({ secret }) => secret), allowWeakSecrets: allowWeak }),
    }
    const endpoint = await control('POST', '/endpoints', registration)
    await this.session.show(answerView, endpoint)
    return endpoint
  }
}
