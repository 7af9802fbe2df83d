import { Flags } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.js'
import { accountChoice, controlOf } from '../../cli/sandbox/control.js'
import { answerView } from '../../render/cards.js'

interface EndpointRow {
  account: string
  url: string
  ownSecrets: boolean
}

export default class RotateSecret extends BaseCommand {
  static override summary = 'Sign webhooks with a new secret, and with the old one until it is dropped.'
  static override description =
    'A running dlv webhooks listen or dlv ui of the embedded sandbox follows. Give other receivers the new secret before --drop-old; an endpoint that was registered with secrets of its own keeps them.'
  static override examples = [
    '<%= config.bin %> sandbox rotate-secret',
    '<%= config.bin %> sandbox rotate-secret --drop-old',
  ]
  static override flags = {
    account: Flags.string({ summary: 'Account (default: that of your key)', helpValue: 'ACCOUNT' }),
    'drop-old': Flags.boolean({ summary: 'Keep only the newest secret', exclusive: ['show'] }),
    show: Flags.boolean({ summary: 'Show the active secrets without changing them' }),
  }

  async run(): Promise<unknown> {
    const { flags } = await this.parse(RotateSecret)
    const control = await controlOf(this.session)
    const choice = await accountChoice(this.session, control, flags.account)
    const secrets = await (flags.show
      ? control('GET', `/secrets?${new URLSearchParams(choice)}`)
      : control('POST', flags['drop-old'] ? '/secrets/drop' : '/secrets/rotate', choice))
    await this.session.show(answerView, secrets)
    const { account } = secrets as { account: string }
    const { endpoints } = (await control('GET', '/endpoints')) as { endpoints: EndpointRow[] }
    const own = endpoints.filter((endpoint) => endpoint.ownSecrets && endpoint.account === account)
    if (own.length > 0)
      this.session.notices.notice(
        `Signed with secrets of their own, which stay: ${own.map(({ url }) => url).join(', ')}.`,
      )
    return secrets
  }
}
