import { Flags } from '@oclif/core'
import { SandboxCommand } from '../../cli/sandbox/sandbox-command.js'
import { answerView } from '../../render/answer-view.js'

export default class RotateSecret extends SandboxCommand {
  static override summary = 'Sign webhooks with a new secret, and with the old one until it is dropped.'
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
    const control = await this.control()
    const choice = await this.accountChoice(flags.account)
    const secrets = await (flags.show
      ? control('GET', `/secrets?${new URLSearchParams(choice)}`)
      : control('POST', flags['drop-old'] ? '/secrets/drop' : '/secrets/rotate', choice))
    await this.show(answerView, secrets)
    return secrets
  }
}
